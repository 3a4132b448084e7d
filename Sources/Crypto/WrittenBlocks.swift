/// The length and content of a file when it was written. Equal for files with equal contents.
public struct WrittenContent: Hashable, Codable, Sendable {
  /// The file's length in bytes.
  public var byteCount: Int64
  /// The SHA-256 of the concatenated digests of its blocks of ``BlockDigests/usualBlockSize`` bytes.
  public var blocks: Digest

  init(byteCount: Int64, list: [UInt8]) {
    self.byteCount = byteCount
    blocks = Digest.of(list)
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
      // Bytes at the end are never read again.
      _ = blocks.write(bytes, at: blocks.byteCount) { _, _ in [] }
    }
    return blocks.content
  }
}

/// The block digests of a file while it is being written. Parts of it may be written more than once.
///
/// Bytes are hashed before they reach the disk. The file reads back as it was written if ``content`` equals the
/// ``BlockDigests/written`` of the finished file.
public struct WrittenBlocks: Sendable {
  private static let blockSize = BlockDigests.usualBlockSize

  /// The digests of all blocks except the last.
  private var list: [UInt8] = []
  /// The bytes of the last block.
  private var last: [UInt8] = []

  /// Creates the digests of an empty file.
  public init() {}

  /// The file's length in bytes.
  public var byteCount: Int64 { lastStart + Int64(last.count) }

  private var lastStart: Int64 { Int64(list.count / Digest.byteCount) * Int64(Self.blockSize) }

  /// The content of the file, if it reads back as it was written.
  public var content: WrittenContent {
    WrittenContent(
      byteCount: byteCount, list: last.isEmpty ? list : list + Digest.of(last).bytes)
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
      if start == lastStart {
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
    list += Digest.of(last).bytes
    last.removeAll(keepingCapacity: true)
  }

  private mutating func replace(
    _ part: UnsafeRawBufferPointer, at place: Int, inBlockAt start: Int64,
    reading read: (_ offset: Int64, _ count: Int) -> [UInt8]
  ) -> Bool {
    let entry = Int(start / Int64(Self.blockSize)) * Digest.byteCount
    let digest = entry..<(entry + Digest.byteCount)
    var block = read(start, Self.blockSize)
    guard Digest.of(block).bytes.elementsEqual(list[digest]) else { return false }
    block.replaceSubrange(place..<(place + part.count), with: part)
    list.replaceSubrange(digest, with: Digest.of(block).bytes)
    return true
  }
}
