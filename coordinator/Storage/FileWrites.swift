import Foundation
import Synchronization

/// The writes of the stores, for tests that let the disk fail under them.
package enum FileWrites {
  /// Says how many of the bytes that are to be written to the file at a path reach it. Fewer than all is a failed
  /// write; to bring to disk, rename or remove counts as one byte.
  package typealias Judge = @Sendable (_ path: String, _ byteCount: Int) -> Int

  private static let current = Mutex<Judge?>(nil)

  /// Lets `judge` decide about writes from now on; `nil` lets every one pass.
  package static func judge(by judge: Judge?) {
    current.withLock { $0 = judge }
  }

  /// The number of bytes that may be written to the file at `path`.
  static func allowance(_ path: String, _ byteCount: Int) -> Int {
    guard let judge = current.withLock({ $0 }) else { return byteCount }
    return min(byteCount, max(0, judge(path, byteCount)))
  }

  /// Fails where a change of the file at `path` does not reach the disk.
  static func assure(_ path: String) throws(StorageError) {
    guard allowance(path, 1) == 1 else { throw StorageError("cannot write", path, EIO) }
  }
}
