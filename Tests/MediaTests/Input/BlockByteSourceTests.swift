import Crypto
import Media
import Support
import Synchronization
import Testing

@Suite(.mayBlock) struct BlockByteSourceTests {
  /// Bytes that can be changed between reads.
  private final class ChangingSource: ByteSource {
    private let bytes: Mutex<[UInt8]>
    /// The number of further reads that return a wrong byte.
    private let wrongReads = Mutex(0)
    private let read = Mutex(0)
    let size: Int64

    init(_ bytes: [UInt8]) {
      self.bytes = Mutex(bytes)
      size = Int64(bytes.count)
    }

    var reads: Int { read.withLock { $0 } }

    func flip(_ place: Int) { bytes.withLock { $0[place] ^= 1 } }

    func disturb(_ count: Int) { wrongReads.withLock { $0 = count } }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
      read.withLock { $0 += 1 }
      let part = bytes.withLock { Array($0[min(Int(offset), $0.count)...].prefix(buffer.count)) }
      buffer.copyBytes(from: part)
      let isWrong = wrongReads.withLock { wrong in
        defer { wrong = max(0, wrong - 1) }
        return wrong > 0
      }
      if isWrong, !buffer.isEmpty { buffer[0] ^= 0x80 }
      return part.count
    }
  }

  private static let content = (0..<4_700).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
  private let source = ChangingSource(Self.content)
  private let blocks = BlockDigests.of(Self.content, blockSize: 1000)

  private func verified() throws -> BlockByteSource {
    try BlockByteSource(verifying: source, by: blocks, named: "beach.mp4")
  }

  private func read(_ source: BlockByteSource, _ range: Range<Int>) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = try bytes.withUnsafeMutableBytes {
      try source.fill($0, from: Int64(range.lowerBound))
    }
    return Array(bytes.prefix(count))
  }

  @Test func `the bytes are those of the source`() throws {
    let verified = try verified()
    #expect(try read(verified, 0..<4_700) == Self.content)
    #expect(try read(verified, 1_990..<3_010) == Array(Self.content[1_990..<3_010]))
    #expect(try read(verified, 4_600..<9_000) == Array(Self.content[4_600...]))
  }

  @Test(arguments: [0, 1_500, 4_699])
  func `a changed byte is never returned`(place: Int) throws {
    source.flip(place)
    let verified = try verified()
    let error = #expect(throws: MediaError.self) { try read(verified, place..<place + 1) }
    #expect(error?.code == .damagedAsset)
    #expect(error?.subject == "beach.mp4")
  }

  @Test func `a block next to a damaged one can be read`() throws {
    source.flip(1_500)
    #expect(try read(verified(), 2_000..<2_010) == Array(Self.content[2_000..<2_010]))
  }

  @Test func `a source that was damaged once stays damaged`() throws {
    source.flip(1_500)
    let verified = try verified()
    _ = try? read(verified, 1_500..<1_501)
    source.flip(1_500)
    #expect(throws: MediaError.self) { try read(verified, 2_000..<2_010) }
  }

  @Test func `a block that arrives with a wrong byte is read again`() throws {
    let verified = try verified()
    source.disturb(2)
    #expect(try read(verified, 0..<10) == Array(Self.content[..<10]))
  }

  @Test func `bytes that were checked are used even if the source changes afterwards`() throws {
    let verified = try verified()
    _ = try read(verified, 0..<1)
    source.flip(500)
    #expect(try read(verified, 500..<510) == Array(Self.content[500..<510]))
  }

  @Test func `a few blocks stay in memory`() throws {
    let verified = try verified()
    for block in [0, 1, 2, 3] { _ = try read(verified, block * 1000..<block * 1000 + 1) }
    let before = source.reads
    for block in [3, 0, 2, 1] { _ = try read(verified, block * 1000..<block * 1000 + 1) }
    #expect(source.reads == before)
  }

  @Test func `a block that changes after it was checked is damaged when it is read again`() throws {
    let check = BlockCheck(blocks)
    func read(_ place: Int) throws -> [UInt8] {
      try self.read(
        BlockByteSource(verifying: source, by: check, named: "beach.mp4"), place..<place + 10)
    }
    for _ in 0..<2 { #expect(try read(500) == Array(Self.content[500..<510])) }
    source.flip(999)
    #expect(throws: MediaError.self) { try read(500) }
    source.flip(999)
    #expect(try read(500) == Array(Self.content[500..<510]))
    // A right block in the wrong place.
    #expect(try read(1_500) == Array(Self.content[1_500..<1_510]))
    let first = Array(Self.content[..<1_000])
    #expect(first.withUnsafeBytes { check.matches($0, block: 0) })
    #expect(!first.withUnsafeBytes { check.matches($0, block: 1) })
    #expect(!first.dropLast().withUnsafeBytes { check.matches($0, block: 0) })
  }

  @Test func `a source of another length is damaged`() throws {
    let cut = ChangingSource(Array(Self.content.dropLast()))
    let error = #expect(throws: MediaError.self) {
      try BlockByteSource(verifying: cut, by: blocks, named: "beach.mp4")
    }
    #expect(error?.code == .damagedAsset)
  }
}
