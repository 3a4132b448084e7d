import Crypto
import Foundation

/// A picture's file, which is hashed while it is written.
package final class PictureFile {
  private let descriptor: Int32
  private var hasher: SHA256? = SHA256()
  /// The number of bytes written.
  package private(set) var byteCount: Int64 = 0

  /// Creates an empty file.
  package init(_ path: String) throws(TypesettingError) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw TypesettingError("the picture cannot be written (\(String(cString: strerror(errno))))")
    }
  }

  deinit { close(descriptor) }

  /// Appends bytes, and returns whether the system wrote them.
  package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    hasher?.update(bytes)
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Foundation.write(
        descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    byteCount += Int64(bytes.count)
    return true
  }

  /// The SHA-256 of everything written, whatever the disk made of it. Ask for it once, at the end.
  package func digest() -> Digest? { hasher.take()?.finalize() }
}
