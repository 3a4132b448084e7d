import Crypto
import FarmAPI
import Foundation

/// A file that a media process writes its result to. Foundation's ways of writing files make calls that the sandbox
/// forbids.
final class ResultFile {
  private let descriptor: Int32
  private var hasher: SHA256? = SHA256()

  /// Creates an empty file.
  init(_ path: String) throws(JobError) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure() }
  }

  deinit { close(descriptor) }

  /// The SHA-256 of everything written, computed before the bytes reach the disk. Ask for it once, at the end.
  func digest() -> Digest? { hasher.take()?.finalize() }

  /// Appends bytes.
  func write(_ data: Data) throws {
    hasher?.update(data)
    try data.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = Foundation.write(
          descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { throw Self.failure() }
        written += count
      }
    }
  }

  private static func failure() -> JobError {
    let number = errno
    return JobError(
      [ENOSPC, EDQUOT].contains(number) ? JobError.diskFullCode : "media-process-failed",
      "the media process cannot write its result: \(String(cString: strerror(number)))")
  }
}
