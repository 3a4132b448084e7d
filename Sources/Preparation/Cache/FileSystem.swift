import Foundation

/// A type of file system, by the name that the kernel lists in `/proc/self/mountinfo` (proc(5)).
package struct FileSystem: RawRepresentable, Hashable, Sendable {
  /// The type's name, such as `ext4` or `fuse.sshfs`.
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  /// The type of an open file's file system; `nil` if the kernel does not list it. Blocks.
  package init?(of descriptor: Int32) {
    let manager = FileManager.default
    guard let file = manager.contents(atPath: "/proc/self/fdinfo/\(descriptor)"),
      let mounts = manager.contents(atPath: "/proc/self/mountinfo"),
      let id = file.split(separator: UInt8(ascii: "\n"))
        .first(where: { $0.starts(with: Self.mount) })?.dropFirst(Self.mount.count)
    else { return nil }
    for line in mounts.split(separator: UInt8(ascii: "\n")) {
      // Optional fields end with a hyphen, which the type follows.
      let fields = line.split(separator: UInt8(ascii: " "))
      guard let first = fields.first, first.elementsEqual(id),
        let end = fields.dropFirst(6).firstIndex(where: { $0.elementsEqual("-".utf8) }),
        end + 1 < fields.count
      else { continue }
      rawValue = String(decoding: fields[end + 1], as: UTF8.self)
      return
    }
    return nil
  }

  private static let mount = Array("mnt_id:\t".utf8)

  /// Local file systems that store inodes and the time of the last change. The times of network file systems come from
  /// another host and may be cached, and file systems in user space invent both.
  private static let exact: Set = [
    "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "jfs", "reiserfs", "tmpfs",
    "ramfs", "overlay", "erofs", "squashfs", "iso9660", "udf",
  ]

  /// Whether this host's kernel gives each file an inode of its own and sets the time of its last change, which no
  /// program can set back.
  package var recordsChanges: Bool { Self.exact.contains(rawValue) }
}
