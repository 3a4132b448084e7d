import Foundation
import SQLite
import Synchronization
import sheaf_coordinator

/// A disk under a folder that takes so many writes, half of the next one, and none after it: what is left there is
/// what a coordinator leaves that is killed in the middle of that write.
final class DyingDisk: Sendable {
  private let folder: String
  private let left: Mutex<Int>

  /// Takes the place of the disk under `folder` until it is lifted.
  init(_ folder: String, after writes: Int) {
    self.folder = folder
    left = Mutex(writes)
    FileWrites.judge(under: folder) { [self] _, count in take(count) }
    DiskWrites.judge { [self] descriptor, count in
      let path = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/\(descriptor)")
      return path?.hasPrefix(self.folder) == true ? take(count) : count
    }
  }

  /// Whether it has died.
  var isDead: Bool { left.withLock { $0 < 0 } }

  /// How many writes it would still take.
  var writesLeft: Int { left.withLock { $0 } }

  /// Gives the disk under the folder its place back.
  func lift() {
    FileWrites.judge(under: folder, by: nil)
    DiskWrites.judge(by: nil)
  }

  private func take(_ count: Int) -> Int {
    left.withLock { left in
      guard left >= 0 else { return 0 }
      left -= 1
      return left >= 0 ? count : count / 2
    }
  }
}
