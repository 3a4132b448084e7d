import CXXHash

/// The length and content of a file when it was written. Equal for files with equal contents.
///
/// It shows whether a disk changed a file, and takes a tenth of the time of SHA-256. It does not show deliberate changes.
public struct WrittenContent: Hashable, Codable, Sendable {
  /// The file's length in bytes.
  public var byteCount: Int64
  /// The SHA-256 of the concatenated checksums of its blocks (XXH3 with 128 bits).
  public var blocks: Digest

  fileprivate init(byteCount: Int64, checksums: [UInt8]) {
    self.byteCount = byteCount
    blocks = Digest.of(checksums)
  }

  /// Creates a value that was stored.
  init(byteCount: Int64, blocks: Digest) {
    self.byteCount = byteCount
    self.blocks = blocks
  }

  /// The content of a file that consists of `bytes`.
  public static func of(_ bytes: some Sequence<UInt8>) -> WrittenContent {
    var blocks = WrittenBlocks()
    Array(bytes).withUnsafeBytes { blocks.append($0) }
    return blocks.content
  }

  /// The content of the file at `path` as it reads now.
  ///
  /// Blocks on the disk; keep it off the cooperative pool.
  ///
  /// - Parameter note: called with all bytes, in pieces.
  /// - Throws: ``FileReadError`` if the file cannot be opened or read.
  public static func of(
    file path: String, noting note: (UnsafeRawBufferPointer) -> Void = { _ in }
  ) throws(FileReadError) -> WrittenContent {
    var blocks = WrittenBlocks()
    try Digest.read(file: path) { bytes in
      note(bytes)
      blocks.append(bytes)
    }
    return blocks.content
  }
}

/// The checksums of a file's blocks while it is being written. Parts of it may be written more than once.
///
/// They are computed before the bytes reach the disk. The file reads back as it was written if ``content`` equals the
/// ``WrittenContent`` of the finished file.
public struct WrittenBlocks: Sendable {
  private static let blockSize = 1 << 18

  /// The checksums of all blocks except the last, concatenated.
  private var list: [UInt8] = []
  /// The bytes of the last block.
  private var last: [UInt8] = []

  /// Creates the checksums of an empty file.
  public init() {}

  /// The file's length in bytes.
  public var byteCount: Int64 { lastStart + Int64(last.count) }

  private var lastStart: Int64 { Int64(list.count / Self.checksumSize) * Int64(Self.blockSize) }

  /// The content of the file, if it reads back as it was written.
  public var content: WrittenContent {
    WrittenContent(
      byteCount: byteCount, checksums: last.isEmpty ? list : list + Self.checksum(last))
  }

  /// The length of a block's checksum in bytes.
  private static let checksumSize = 16

  /// XXH3 with 128 bits, in its canonical order of bytes.
  private static func checksum(_ block: [UInt8]) -> [UInt8] {
    block.withUnsafeBytes { checksum($0) }
  }

  private static func checksum(_ block: UnsafeRawBufferPointer) -> [UInt8] {
    var canonical = XXH128_canonical_t()
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(block.baseAddress, block.count))
    return withUnsafeBytes(of: canonical) { Array($0) }
  }

  /// Records bytes that are about to be written at the end.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    // Bytes at the end are never read again.
    _ = write(bytes, at: byteCount) { _, _ in [] }
  }

  /// Records bytes that are about to be written at an offset of at most ``byteCount``.
  ///
  /// - Parameter read: returns the requested number of bytes of the file from an offset, or fewer if it cannot. Only
  ///   blocks that are written again are read. They are checked first.
  /// - Returns: `false` if such a block does not read back as it was written.
  public mutating func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64,
    reading read: (_ offset: Int64, _ count: Int) -> [UInt8]
  ) -> Bool {
    var (place, rest) = (offset, bytes)
    while !rest.isEmpty {
      let start = place / Int64(Self.blockSize) * Int64(Self.blockSize)
      let within = Int(place - start)
      // Not a slice: replacing bytes with those of a slice copies them one by one.
      let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.blockSize - within))
      if start == lastStart, part.count == Self.blockSize {
        list += Self.checksum(part)
        last.removeAll(keepingCapacity: true)
      } else if start == lastStart {
        let kept = last.count - within
        last.replaceSubrange(within..<(within + min(kept, part.count)), with: part)
        endFullBlock()
      } else {
        guard replace(part, at: within, inBlockAt: start, reading: read) else { return false }
      }
      place += Int64(part.count)
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
    }
    return true
  }

  private mutating func endFullBlock() {
    guard last.count == Self.blockSize else { return }
    list += Self.checksum(last)
    last.removeAll(keepingCapacity: true)
  }

  private mutating func replace(
    _ part: UnsafeRawBufferPointer, at place: Int, inBlockAt start: Int64,
    reading read: (_ offset: Int64, _ count: Int) -> [UInt8]
  ) -> Bool {
    let entry = Int(start / Int64(Self.blockSize)) * Self.checksumSize
    let checksum = entry..<(entry + Self.checksumSize)
    var block = read(start, Self.blockSize)
    guard Self.checksum(block).elementsEqual(list[checksum]) else { return false }
    block.replaceSubrange(place..<(place + part.count), with: part)
    list.replaceSubrange(checksum, with: Self.checksum(block))
    return true
  }
}
