import Foundation

/// A type of file system, by the name that the kernel lists in `/proc/self/mountinfo` (proc(5)).
package struct FileSystem: RawRepresentable, Hashable, Sendable {
  /// The type's name, such as `ext4` or `fuse.sshfs`.
  package let rawValue: String

  /// Creates a type.
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

  /// Network file systems, whose times come from another host and may be cached, and formats that store neither inodes
  /// nor the time of the last change.
  private static let vague: Set = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "coda", "lustre", "virtiofs",
    "vfat", "msdos", "exfat",
  ]

  /// Whether this host's kernel gives each file an inode of its own and sets the time of its last change, which no
  /// program can set back. File systems in user space invent both.
  package var recordsChanges: Bool {
    !Self.vague.contains(rawValue) && !rawValue.hasPrefix("fuse")
  }
}
