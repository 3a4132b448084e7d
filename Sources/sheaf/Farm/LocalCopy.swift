import Foundation
import Processes
import Threads

/// Copies a file that the coordinator has passed to this process.
final class LocalCopy: Sendable {
  private let source: Int32
  private let byteCount: Int64
  /// Whether the file was finished, and read back from the disk, within the last hour.
  let isRecent: Bool

  /// The number of bytes that are copied between two looks at the task's cancellation.
  private static let step = 8 << 20

  /// Takes over a descriptor. Returns `nil` if it is not that of a regular file with `byteCount` bytes.
  init?(of source: Int32, byteCount: Int64) {
    var facts = stat()
    guard fstat(source, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      Int64(facts.st_size) == byteCount
    else {
      close(source)
      return nil
    }
    (self.source, self.byteCount) = (source, byteCount)
    // A time in the future shows that the clock was changed.
    isRecent = (-60..<3600).contains(time(nil) - facts.st_mtim.tv_sec)
  }

  deinit { close(source) }

  /// Copies the whole file, and then lets the copy take the place of `path`.
  ///
  /// - Parameter copied: called with the number of bytes that the copy has.
  /// - Returns: whether the copy is complete. If not, `path` is as before: the disk may be full, the file systems may not
  ///   support it, or another command may be copying to the same path.
  /// - Throws: `CancellationError`.
  func copy(to path: String, copied: @escaping @Sendable (Int64) -> Void) async throws -> Bool {
    let isComplete = try await BlockingThread.run(named: "copy") { [self] isCancelled in
      let copy = path + ".copy"
      // The same permissions as those of a file that is received.
      let target = open(copy, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
      guard target >= 0 else { return false }
      // Unlocked after the file has been renamed or removed.
      defer { close(target) }
      guard flock(target, LOCK_EX | LOCK_NB) == 0, Self.isFile(target, at: copy) else {
        return false
      }
      // An interrupted command may have left a part.
      guard ftruncate(target, 0) == 0, fill(target, while: { !isCancelled() }, copied),
        // Network file systems report failed writes when a descriptor is closed.
        close(dup(target)) == 0, rename(copy, path) == 0
      else {
        unlink(copy)
        return false
      }
      return true
    }
    try Task.checkCancellation()
    return isComplete
  }

  /// Whether a descriptor's file is at a path. Another command may have renamed it before it was locked.
  private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
    var (opened, found) = (stat(), stat())
    return fstat(descriptor, &opened) == 0 && lstat(path, &found) == 0
      && opened.st_dev == found.st_dev && opened.st_ino == found.st_ino
  }

  /// Returns whether all bytes were copied.
  private func fill(
    _ target: Int32, while shouldContinue: () -> Bool, _ copied: (Int64) -> Void
  ) -> Bool {
    var position: Int64 = 0
    while position < byteCount, shouldContinue() {
      let count = Descriptors.copy(
        min(Self.step, Int(byteCount - position)), from: source, to: target)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      position += Int64(count)
      copied(position)
    }
    return position == byteCount
  }
}
