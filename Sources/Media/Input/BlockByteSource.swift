import Crypto
import Synchronization

/// A byte source that reads whole blocks and checks each before any of it is used.
///
/// A block is loaded into memory, checked there and served from there, so exactly the checked bytes are used. A few
/// blocks are kept, because a file's index, pictures and sound are read alternately.
public final class BlockByteSource: ByteSource {
  /// Fills the buffer with a block's bytes and checks them.
  public typealias Load =
    @Sendable (_ block: Int, _ bytes: UnsafeMutableRawBufferPointer) throws ->
    Void

  /// The length in bytes.
  public let size: Int64
  private let blockSize: Int
  private let load: Load
  private let state = Mutex(State())

  private struct State {
    /// The blocks in memory, the most recently used last.
    var blocks: [(index: Int, bytes: [UInt8])] = []
    var failure: (any Error)?
  }

  /// The number of blocks that are kept in memory.
  private static let keptBlocks = 4

  /// Creates a source that loads its bytes block by block.
  ///
  /// - Parameter load: reads and checks a block's bytes. After it throws, every read throws the same error.
  public init(size: Int64, blockSize: Int, load: @escaping Load) {
    self.size = size
    self.blockSize = blockSize
    self.load = load
  }

  /// Reads at `offset`. The count is short only at the source's end.
  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard offset >= 0, offset < size else { return 0 }
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      do {
        var done = 0
        while done < buffer.count, offset + Int64(done) < size {
          let place = offset + Int64(done)
          let bytes = try block(Int(place / Int64(blockSize)), &state)
          let start = Int(place % Int64(blockSize))
          let count = min(buffer.count - done, bytes.count - start)
          bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
              .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
          }
          done += count
        }
        return done
      } catch {
        state.failure = error
        throw error
      }
    }
  }

  /// Frees the blocks in memory. A block is loaded again when it is read.
  public func dropBlocks() { state.withLock { $0.blocks = [] } }

  private func block(_ index: Int, _ state: inout State) throws -> [UInt8] {
    if let place = state.blocks.lastIndex(where: { $0.index == index }) {
      let found = state.blocks.remove(at: place)
      state.blocks.append(found)
      return found.bytes
    }
    let length = Int(min(Int64(blockSize), size - Int64(index) * Int64(blockSize)))
    var bytes = state.blocks.count < Self.keptBlocks ? [] : state.blocks.removeFirst().bytes
    if bytes.count != length { bytes = [UInt8](repeating: 0, count: length) }
    try bytes.withUnsafeMutableBytes { try load(index, $0) }
    state.blocks.append((index, bytes))
    return bytes
  }
}

extension BlockByteSource {
  /// How often a block is read before it counts as damaged.
  private static let tries = 3

  /// Creates a source that checks another source's bytes against its block digests.
  ///
  /// - Parameter name: the asset's name in errors.
  /// - Throws: ``MediaError`` with code `damagedAsset` if the source's length is wrong. Reads throw it for wrong bytes.
  public convenience init(
    verifying source: any ByteSource, by blocks: BlockDigests, named name: String
  ) throws {
    try self.init(verifying: source, blocks, named: name) { blocks.matches($0, block: $1) }
  }

  /// Creates a source that checks another source's bytes. Blocks that were checked before take less time.
  ///
  /// - Parameter name: the asset's name in errors.
  /// - Throws: ``MediaError`` with code `damagedAsset` if the source's length is wrong. Reads throw it for wrong bytes.
  public convenience init(
    verifying source: any ByteSource, by check: BlockCheck, named name: String
  ) throws {
    try self.init(verifying: source, check.digests, named: name) { check.matches($0, block: $1) }
  }

  private convenience init(
    verifying source: any ByteSource, _ blocks: BlockDigests, named name: String,
    matches: @escaping @Sendable (UnsafeRawBufferPointer, _ block: Int) -> Bool
  ) throws {
    guard source.size == blocks.byteCount else {
      throw MediaError(
        .damagedAsset, "the asset has \(source.size) bytes instead of \(blocks.byteCount)",
        on: name, remedy: "restore the original file")
    }
    self.init(size: blocks.byteCount, blockSize: blocks.blockSize) { index, bytes in
      let offset = Int64(index) * Int64(blocks.blockSize)
      for _ in 0..<Self.tries {
        let count = try source.fill(bytes, from: offset)
        let read = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count])
        if matches(read, index) { return }
      }
      throw MediaError(
        .damagedAsset, "the asset's bytes from offset \(offset) do not match their digest",
        on: name, remedy: "restore the original file")
    }
  }
}
