import Crypto
import Foundation

/// A file's identity, size and times according to the file system. If ``recordsChanges`` is true, writing to the file
/// changes it.
package struct FileStamp: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  /// The file's length in bytes.
  package let byteCount: Int64
  /// The times of the last change of the bytes and of the last change of anything, in nanoseconds since 1970.
  private let modified: Int64
  private let changed: Int64
  /// Whether the file system's inodes and times show every change of a file.
  package let recordsChanges: Bool

  /// The time after a write within which another write may leave the times as they are, in nanoseconds. Most kernels
  /// advance them every few milliseconds; some file systems have times in seconds.
  private static let granularity: Int64 = 2_000_000_000

  /// The stamp of an open regular file; `nil` if it is another kind of file.
  ///
  /// - Parameter fileSystem: the type of its file system; `nil` for the one that the system states.
  package init?(of descriptor: Int32, on fileSystem: FileSystem? = nil) {
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    device = UInt64(information.st_dev)
    inode = UInt64(information.st_ino)
    byteCount = Int64(information.st_size)
    modified = Self.nanoseconds(information.st_mtim)
    recordsChanges = (fileSystem ?? FileSystem(of: descriptor))?.recordsChanges ?? false
    // Some other file systems make up a new one at each look.
    changed = recordsChanges ? Self.nanoseconds(information.st_ctim) : modified
  }

  /// Creates the stamp of a file with these facts, on a file system that records every change.
  package init(device: UInt64, inode: UInt64, byteCount: Int64, modified: Int64, changed: Int64) {
    (self.device, self.inode, self.byteCount) = (device, inode, byteCount)
    (self.modified, self.changed, recordsChanges) = (modified, changed, true)
  }

  /// The stamp of the regular file at `path`; `nil` if there is none.
  package init?(ofFile path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    self.init(of: descriptor)
  }

  /// Whether every write after a time changes the stamp. If the file was written to just before, a later write may not;
  /// nor if the file system does not record changes.
  ///
  /// - Parameter time: in nanoseconds since 1970.
  package func isSettled(at time: Int64) -> Bool {
    recordsChanges && modified <= time && isOld(at: time)
  }

  /// Whether the last change of the file was so long before a time that another one would have another time. Programs can
  /// set the time at which the bytes changed, but not this one.
  ///
  /// - Parameter time: in nanoseconds since 1970.
  package func isOld(at time: Int64) -> Bool {
    let (age, isLarge) = time.subtractingReportingOverflow(changed)
    return isLarge ? time > changed : age >= Self.granularity
  }

  /// The current time, in nanoseconds since 1970.
  package static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }

  /// The SHA-256 of the stamp, by which it is stored.
  var key: Digest {
    Digest.of(Array("\(device) \(inode) \(byteCount) \(modified) \(changed)".utf8))
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    // Files may state times after the year 2262.
    Int64(clamping: Int128(time.tv_sec) * 1_000_000_000 + Int128(time.tv_nsec))
  }
}
