/// The SHA-256 of every block of a file, so that a part of the file can be checked without the rest.
///
/// Files with equal contents have equal lists, and therefore equal ``digest``s.
public struct BlockDigests: Hashable, Sendable {
  /// The default block size in bytes. The last block of a file may be shorter.
  public static let usualBlockSize = 1 << 18

  /// The block size in bytes.
  public let blockSize: Int
  /// The file's length in bytes.
  public let byteCount: Int64
  /// The SHA-256 of the whole file.
  public let content: Digest
  /// The blocks' digests, concatenated.
  private let list: [UInt8]
  /// The SHA-256 of ``encoded``.
  public let digest: Digest

  init(blockSize: Int, byteCount: Int64, content: Digest, list: [UInt8]) {
    self.blockSize = blockSize
    self.byteCount = byteCount
    self.content = content
    self.list = list
    // The list of a large file has many megabytes and must not be copied.
    var hasher = SHA256()
    hasher.update(Self.header(blockSize, byteCount, content))
    hasher.update(list)
    digest = hasher.finalize()
  }

  /// The number of blocks.
  public var blockCount: Int { list.count / Digest.byteCount }

  /// The length of a block in bytes.
  public func length(of block: Int) -> Int {
    Int(min(Int64(blockSize), max(0, byteCount - Int64(block) * Int64(blockSize))))
  }

  /// Whether `bytes` are exactly the bytes of a block.
  public func matches(_ bytes: UnsafeRawBufferPointer, block: Int) -> Bool {
    guard (0..<blockCount).contains(block), bytes.count == length(of: block) else { return false }
    let start = block * Digest.byteCount
    return Digest.of(bytes).bytes.elementsEqual(list[start..<start + Digest.byteCount])
  }
}

// MARK: Bytes

extension BlockDigests {
  private static let mark = Array("sheaf-blocks-1\n\0".utf8)
  /// The maximum block size of a list.
  private static let largestBlock = 1 << 24

  /// The length of ``encoded`` in bytes, for the given file length and block size.
  public static func encodedByteCount(
    byteCount: Int64, blockSize: Int = Self.usualBlockSize
  ) -> Int {
    let blocks = (byteCount + Int64(blockSize) - 1) / Int64(blockSize)
    return mark.count + 16 + (1 + Int(blocks)) * Digest.byteCount
  }

  /// The list as bytes: a magic number, the block size and the file size (64 bits each, big-endian), the SHA-256 of the
  /// file, and the SHA-256 of each block.
  public var encoded: [UInt8] { Self.header(blockSize, byteCount, content) + list }

  private static func header(_ blockSize: Int, _ byteCount: Int64, _ content: Digest) -> [UInt8] {
    mark + bigEndian(Int64(blockSize)) + bigEndian(byteCount) + content.bytes
  }

  /// Decodes ``encoded`` bytes. Returns `nil` if they are malformed. Compare ``digest`` to detect changes.
  public init?(encoded: some RandomAccessCollection<UInt8>) {
    let bytes = Array(encoded)
    let numbers = Self.mark.count
    guard bytes.count >= numbers + 16 + Digest.byteCount, bytes.starts(with: Self.mark) else {
      return nil
    }
    let size = Self.number(bytes[numbers..<numbers + 8])
    let byteCount = Self.number(bytes[(numbers + 8)..<numbers + 16])
    let start = numbers + 16 + Digest.byteCount
    guard (1...Int64(Self.largestBlock)).contains(size), (0...(Int64(1) << 56)).contains(byteCount),
      bytes.count == Self.encodedByteCount(byteCount: byteCount, blockSize: Int(size)),
      let content = Digest(bytes: Array(bytes[(numbers + 16)..<start]))
    else { return nil }
    self.init(
      blockSize: Int(size), byteCount: byteCount, content: content, list: Array(bytes[start...]))
  }

  private static func bigEndian(_ number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
    bytes.reduce(0) { $0 << 8 | Int64($1) }
  }
}
