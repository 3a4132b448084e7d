import CLinux
import Glibc
import Threads

/// What a file that was written has when it is read back.
public struct ReadBack: Sendable {
  /// The length and content.
  public let content: WrittenContent
  /// The SHA-256.
  public let sha256: Digest

  /// The bytes that are read at once. Each read takes a piece that has been hashed, so the memory stays the same.
  private static let pieceSize = 1 << 20
  private static let pieceCount = 4
  /// Suits every disk and page.
  private static let alignment = 4096

  /// Reads the file at `path`, and hashes it on another thread meanwhile.
  ///
  /// Blocks on the disk; keep it off the cooperative pool.
  ///
  /// - Parameter fromDisk: whether to read what the disk has, and not what the page cache has of it; the file must have
  ///   been brought to the disk. If the file system cannot read past the page cache, the file is dropped from it first.
  /// - Throws: ``FileReadError`` if the file cannot be opened or read, or no thread can be started.
  public init(of path: String, fromDisk: Bool) throws {
    let source = try Source(path, isDirect: fromDisk)
    let free = BoundedQueue<Piece>(capacity: Self.pieceCount)
    for _ in 0..<Self.pieceCount { _ = free.put(Piece()) }
    let hashing = ItemThread<Piece, ReadBack>(named: "hash", room: Self.pieceCount) { next in
      var blocks = WrittenBlocks()
      var hasher = SHA256()
      while let piece = try next() {
        blocks.append(piece.filled)
        hasher.update(piece.filled)
        _ = free.put(piece)
      }
      return ReadBack(content: blocks.content, sha256: hasher.finalize())
    }
    guard let hashing else { throw FileReadError(path: path, number: errno) }
    while let piece = free.take(), try source.fill(piece) { try hashing.add(piece) }
    self = try hashing.finish()
  }

  private init(content: WrittenContent, sha256: Digest) {
    self.content = content
    self.sha256 = sha256
  }

  /// Aligned memory, and how much of it is filled.
  ///
  /// `@unchecked` is sound because queues pass it from one thread to the other.
  private final class Piece: @unchecked Sendable {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: ReadBack.pieceSize, alignment: ReadBack.alignment)
    var count = 0

    var filled: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    deinit { memory.deallocate() }
  }

  /// The file that is read.
  private final class Source {
    private let path: String
    private var descriptor: Int32
    private var isDirect: Bool
    private let byteCount: Int64
    private var position: Int64 = 0

    init(_ path: String, isDirect: Bool) throws(FileReadError) {
      self.path = path
      self.isDirect = isDirect
      descriptor = isDirect ? sheaf_open_direct(path) : open(path, O_RDONLY | O_CLOEXEC)
      if isDirect, descriptor < 0, errno == EINVAL {
        (descriptor, self.isDirect) = (Self.openDropped(path), false)
      }
      var facts = stat()
      guard descriptor >= 0, fstat(descriptor, &facts) == 0 else {
        let number = errno
        if descriptor >= 0 { close(descriptor) }
        throw FileReadError(path: path, number: number)
      }
      byteCount = Int64(facts.st_size)
    }

    deinit { close(descriptor) }

    /// Drops a file from the page cache, and opens it.
    private static func openDropped(_ path: String) -> Int32 {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      if descriptor >= 0 { posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }
      return descriptor
    }

    /// Reads the next piece. Returns `false` at the end.
    func fill(_ piece: Piece) throws(FileReadError) -> Bool {
      // The last piece may have any length, after which nothing can be read directly.
      while position < byteCount {
        let count = pread(descriptor, piece.memory.baseAddress, piece.memory.count, Int(position))
        if count < 0 {
          if errno == EINTR { continue }
          guard errno == EINVAL, isDirect else { throw FileReadError(path: path, number: errno) }
          let dropped = Self.openDropped(path)
          guard dropped >= 0 else { throw FileReadError(path: path, number: errno) }
          close(descriptor)
          (descriptor, isDirect) = (dropped, false)
          continue
        }
        position += Int64(count)
        piece.count = count
        return count > 0
      }
      return false
    }
  }
}
