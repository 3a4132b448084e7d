import Foundation

/// A file's identity in the file system. Writing to the file changes it.
struct FileIdentity: Hashable, Sendable {
  let inode: UInt64
  /// The length in bytes.
  let byteCount: Int64
  private let modified: Int64
  private let changed: Int64

  /// The identity of the file at `path`; `nil` if there is none. Blocks.
  init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    self.init(information)
  }

  /// The identity in the kernel's facts about a file.
  init(_ information: stat) {
    inode = UInt64(information.st_ino)
    byteCount = Int64(information.st_size)
    modified = Self.nanoseconds(information.st_mtim)
    changed = Self.nanoseconds(information.st_ctim)
  }

  /// Everything but the inode number, as a text.
  var state: String { "\(byteCount) \(modified) \(changed)" }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
