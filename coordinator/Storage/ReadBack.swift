import Crypto
import Foundation
import Threads

/// The digests of a file that was just written, computed from what is on the disk.
struct ReadBack: Hashable, Sendable {
  /// Its length and block digests, to be compared with what was written.
  let content: WrittenContent
  /// The SHA-256 of the same bytes.
  let sha256: Digest

  /// Reads the file at `path` once. One thread reads it and computes the block digests, the other the SHA-256.
  ///
  /// - Throws: `FileReadError` if the file cannot be opened or read.
  init(_ path: String) async throws {
    // `nil` ends the file.
    let pieces = BoundedQueue<[UInt8]?>(capacity: 2)
    async let sha256 = BlockingThread.run(named: "output digest") {
      var hasher = SHA256()
      while case let piece?? = pieces.take() { hasher.update(piece) }
      return hasher.finalize()
    }
    content = try await BlockingThread.run(named: "output") {
      defer { _ = pieces.put(nil) }
      return try WrittenContent.of(file: path) { bytes in _ = pieces.put(Array(bytes)) }
    }
    self.sha256 = try await sha256
  }
}
