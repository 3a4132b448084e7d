import Foundation

/// A disk of a few mebibytes that a test can fill: a tmpfs, which only root can mount.
public final class SmallDisk: Sendable {
  /// Whether this process may mount a tmpfs.
  public static let isAvailable = (try? SmallDisk(mebibytes: 1)) != nil

  /// The mount point, which exists as long as this object.
  public let directory: TemporaryDirectory

  /// Mounts an empty disk.
  public convenience init(mebibytes: Int) throws { try self.init(bytes: mebibytes << 20) }

  /// Mounts an empty disk, rounded to whole pages.
  public init(bytes: Int) throws {
    directory = try TemporaryDirectory()
    try Tool.run("mount", ["-t", "tmpfs", "-o", "size=\(bytes)", "tmpfs", directory.path])
  }

  deinit { _ = try? Tool.run("umount", ["-l", directory.path]) }

  private var filler: String { directory.path("filler") }

  /// Fills the disk, except for the given number of bytes.
  public func fill(butFor bytes: Int = 0) throws {
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: directory.path)
    let free = (attributes[.systemFreeSize] as? Int) ?? 0
    let file = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }  // no inode is left
    defer { close(file) }
    let page = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<max(0, free - bytes) / page.count {
      guard write(file, page, page.count) == page.count else { break }
    }
  }

  /// Frees the space again.
  public func free() { unlink(filler) }
}
