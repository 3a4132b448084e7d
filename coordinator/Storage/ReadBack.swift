import Crypto
import Foundation
import Threads

/// The digests of a file that was just written, computed from what is on the disk.
package struct ReadBack: Hashable, Sendable {
  /// Its length and block digests, to be compared with what was written.
  package let content: WrittenContent
  /// The SHA-256 of the same bytes.
  package let sha256: Digest

  /// A part of the file. Its memory is used again and again, because fresh memory costs more time than the hashing.
  ///
  /// `@unchecked` is sound because a piece is in one queue at a time, and only the thread that took it uses it.
  private final class Piece: @unchecked Sendable {
    var bytes: [UInt8] = []
  }

  /// Reads the file at `path` once. One thread reads it and computes the block digests, the other the SHA-256.
  ///
  /// - Throws: `FileReadError` if the file cannot be opened or read.
  package init(_ path: String) async throws {
    let empty = BoundedQueue<Piece>(capacity: 3)
    for _ in 0..<3 { _ = empty.put(Piece()) }
    // `nil` ends the file.
    let filled = BoundedQueue<Piece?>(capacity: 4)
    async let sha256 = BlockingThread.run(named: "output digest") {
      var hasher = SHA256()
      while case let piece?? = filled.take() {
        hasher.update(piece.bytes)
        _ = empty.put(piece)
      }
      return hasher.finalize()
    }
    content = try await BlockingThread.run(named: "output") {
      defer { _ = filled.put(nil) }
      return try WrittenContent.of(file: path) { bytes in
        guard let piece = empty.take() else { return }
        piece.bytes.replaceSubrange(0..., with: bytes)
        _ = filled.put(piece)
      }
    }
    self.sha256 = try await sha256
  }
}
