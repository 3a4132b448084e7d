import Foundation
import Synchronization

/// The writes of the stores, for tests that let the disk fail under them.
package enum FileWrites {
  /// Says how many of the bytes that are to be written to the file at a path reach it. Fewer than all is a failed
  /// write; to bring to disk, rename or remove counts as one byte.
  package typealias Judge = @Sendable (_ path: String, _ byteCount: Int) -> Int

  private static let judges = Mutex<[String: Judge]>([:])

  /// Lets `judge` decide about writes below a folder from now on, beside the judges of other folders; `nil` lets every one
  /// pass again.
  package static func judge(under folder: String, by judge: Judge?) {
    judges.withLock { $0[folder] = judge }
  }

  /// The number of bytes that may be written to the file at `path`.
  static func allowance(_ path: String, _ byteCount: Int) -> Int {
    // Without the lock: a judge may wait.
    let judges = judges.withLock { $0.filter { path.hasPrefix($0.key) }.values }
    return judges.reduce(byteCount) { min($0, max(0, $1(path, byteCount))) }
  }

  /// Fails where a change of the file at `path` does not reach the disk.
  static func assure(_ path: String) throws(StorageError) {
    guard allowance(path, 1) == 1 else { throw StorageError("cannot write", path, EIO) }
  }
}
