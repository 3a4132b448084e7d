import Glibc
import Threads

/// The content and digest of a file, read back after it was written.
public struct ReadBack: Sendable {
  /// The length and content.
  public let content: WrittenContent
  /// The SHA-256.
  public let sha256: Digest

  /// The number of bytes that are read at once. Pieces are used again once they are hashed.
  private static let pieceSize = 1 << 20
  private static let pieceCount = 4

  /// Reads the file at `path`, and hashes it on another thread meanwhile.
  ///
  /// Blocks on the disk; keep it off the cooperative pool.
  ///
  /// - Parameter fromDisk: whether to let Linux drop the file from memory first, so that it is read from the disk. It must
  ///   have been brought there. Pages that are in use elsewhere stay in memory.
  /// - Throws: ``FileReadError`` if the file cannot be opened or read.
  public init(of path: String, fromDisk: Bool) throws {
    let source = try Source(path, fromDisk: fromDisk)
    let free = BoundedQueue<Piece>(capacity: Self.pieceCount)
    for _ in 0..<Self.pieceCount { _ = free.put(Piece()) }
    let hashing = ItemThread<Piece, ReadBack>(named: "hash", room: Self.pieceCount) { next in
      var hashes = Hashes()
      while let piece = try next() {
        hashes.add(piece)
        _ = free.put(piece)
      }
      return hashes.finish()
    }
    if let hashing {
      while let piece = free.take(), try source.fill(piece) { try hashing.add(piece) }
      self = try hashing.finish()
    } else {
      // The system permits no thread.
      var hashes = Hashes()
      let piece = Piece()
      while try source.fill(piece) { hashes.add(piece) }
      self = hashes.finish()
    }
  }

  private init(content: WrittenContent, sha256: Digest) {
    self.content = content
    self.sha256 = sha256
  }

  /// The hashes of the pieces so far.
  private struct Hashes: ~Copyable {
    private var blocks = WrittenBlocks()
    private var hasher = SHA256()

    mutating func add(_ piece: Piece) {
      blocks.append(piece.filled)
      hasher.update(piece.filled)
    }

    consuming func finish() -> ReadBack {
      ReadBack(content: blocks.content, sha256: hasher.finalize())
    }
  }

  /// Memory, and how much of it is filled.
  ///
  /// `@unchecked` is sound because queues pass it from one thread to the other.
  private final class Piece: @unchecked Sendable {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: ReadBack.pieceSize, alignment: 64)
    var count = 0

    var filled: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    deinit { memory.deallocate() }
  }

  /// The file that is read.
  private final class Source {
    private let path: String
    private let descriptor: Int32

    init(_ path: String, fromDisk: Bool) throws(FileReadError) {
      self.path = path
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw FileReadError(path: path, number: errno) }
      if fromDisk { posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }
    }

    deinit { close(descriptor) }

    /// Reads the next piece. Returns `false` at the end.
    func fill(_ piece: Piece) throws(FileReadError) -> Bool {
      while true {
        let count = read(descriptor, piece.memory.baseAddress, piece.memory.count)
        if count >= 0 {
          piece.count = count
          return count > 0
        }
        if errno != EINTR { throw FileReadError(path: path, number: errno) }
      }
    }
  }
}
