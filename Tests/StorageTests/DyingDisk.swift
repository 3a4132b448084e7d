import CoordinatorSupport
import Foundation
import SQL
import SQLite
import Synchronization
import sheaf_coordinator

/// A disk that accepts a number of writes, half of the next one, and none after that. It keeps the files that a
/// coordinator leaves if it is killed in the middle of a write.
final class DyingDisk: Sendable {
  private let folder: String
  private let left: Mutex<Int>

  /// Replaces the disk under `folder` until ``lift()``.
  init(_ folder: String, after writes: Int) {
    self.folder = folder
    left = Mutex(writes)
    FileWrites.judge(under: folder) { [self] _, count in take(count) }
    DiskWrites.judge(under: folder) { [self] _, count in take(count) }
  }

  /// Whether it has cut a write short, and accepts no more.
  var isDead: Bool { left.withLock { $0 < 0 } }

  /// The number of whole writes that it still accepts.
  var writesLeft: Int { left.withLock { $0 } }

  /// Restores the real disk.
  func lift() {
    FileWrites.judge(under: folder, by: nil)
    DiskWrites.judge(under: folder, by: nil)
  }

  private func take(_ count: Int) -> Int {
    left.withLock { left in
      guard left >= 0 else { return 0 }
      left -= 1
      return left >= 0 ? count : count / 2
    }
  }
}
