import Foundation
import Synchronization

/// Lets tests make the stores' writes fail.
package enum FileWrites {
  /// Returns how many of the bytes to be written to the file at a path reach it. Fewer than all means a failed write.
  /// Bringing a file to disk, renaming it or removing it counts as one byte.
  package typealias Judge = @Sendable (_ path: String, _ byteCount: Int) -> Int

  private static let judges = Mutex<[String: Judge]>([:])

  /// Lets `judge` decide about writes below a folder, in addition to the judges of other folders; `nil` removes the
  /// judge.
  package static func judge(under folder: String, by judge: Judge?) {
    judges.withLock { $0[folder] = judge }
  }

  /// The number of bytes that may be written to the file at `path`.
  static func allowance(_ path: String, _ byteCount: Int) -> Int {
    // Called without the lock, because a judge may wait.
    let judges = judges.withLock { $0.filter { path.hasPrefix($0.key) }.values }
    return judges.reduce(byteCount) { min($0, max(0, $1(path, byteCount))) }
  }

  /// Throws if a change of the file at `path` is not to reach the disk.
  static func assure(_ path: String) throws(StorageError) {
    guard allowance(path, 1) == 1 else { throw StorageError("cannot write", path, EIO) }
  }
}
