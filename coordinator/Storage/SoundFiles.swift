import Crypto
import Foundation
import Synchronization

/// Remembers which files matched their digests, until they are written to. Every call blocks.
///
/// ``Scrubber`` finds bytes that change without a write by reading every file again.
final class SoundFiles: Sendable {
  private typealias Entry = (identity: FileIdentity, digest: Digest)

  private let known = Mutex<[String: Entry]>([:])
  private static let mostKnown = 10_000

  /// Whether a file was found to match its digest and has not been written to since.
  func contains(_ path: String, _ digest: Digest) -> Bool {
    guard let identity = FileIdentity(path), let last = known.withLock({ $0[path] }) else {
      return false
    }
    return last.identity == identity && last.digest == digest
  }

  /// Records that a file matches its digest.
  ///
  /// - Parameter identity: the file's identity before it was read.
  func insert(_ path: String, _ identity: FileIdentity, _ digest: Digest) {
    known.withLock { known in
      if known.count >= Self.mostKnown { known = [:] }
      known[path] = (identity, digest)
    }
  }

  /// Forgets a file that was found to be damaged.
  func remove(_ path: String) { _ = known.withLock { $0.removeValue(forKey: path) } }

  /// Sets a file's times to the current time, which does not count as writing to it.
  func touch(_ path: String) {
    known.withLock { known in
      let before = FileIdentity(path)
      utimes(path, nil)
      guard let entry = known[path] else { return }
      guard let before, let after = FileIdentity(path), entry.identity == before,
        (after.inode, after.byteCount) == (before.inode, before.byteCount)
      else {
        known[path] = nil
        return
      }
      known[path] = (after, entry.digest)
    }
  }
}
