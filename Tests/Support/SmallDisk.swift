import Foundation

/// A disk of a few mebibytes in memory, which can be filled: a tmpfs, which only root can mount.
public final class SmallDisk: Sendable {
  /// Whether this process may mount one.
  public static let isAvailable = (try? SmallDisk(mebibytes: 1)) != nil

  /// Where it is mounted, until this goes.
  public let directory: TemporaryDirectory

  /// Mounts an empty one.
  public convenience init(mebibytes: Int) throws { try self.init(bytes: mebibytes << 20) }

  /// Mounts an empty one, of whole pages.
  public init(bytes: Int) throws {
    directory = try TemporaryDirectory()
    try Tool.run("mount", ["-t", "tmpfs", "-o", "size=\(bytes)", "tmpfs", directory.path])
  }

  deinit { _ = try? Tool.run("umount", ["-l", directory.path]) }

  private var filler: String { directory.path("filler") }

  /// Takes the space that is left, but for so many bytes.
  public func fill(butFor bytes: Int = 0) throws {
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: directory.path)
    let free = (attributes[.systemFreeSize] as? Int) ?? 0
    let file = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }  // not an inode is left
    defer { close(file) }
    let page = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<max(0, free - bytes) / page.count {
      guard write(file, page, page.count) == page.count else { break }
    }
  }

  /// Gives the space back.
  public func free() { unlink(filler) }
}
