import Foundation
import Support
import Testing

/// A disk of a few megabytes: a tmpfs, which only root can mount.
final class SmallDisk: Sendable {
  /// Whether one can be mounted here.
  static let isAvailable = (try? SmallDisk(megabytes: 1)) != nil

  let directory: TemporaryDirectory

  init(megabytes: Int) throws {
    directory = try TemporaryDirectory()
    try Tool.run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", directory.path])
  }

  deinit { _ = try? Tool.run("umount", ["-l", directory.path]) }

  /// Fills it, but for so many bytes.
  func fill(butFor bytes: Int = 0) throws {
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: directory.path)
    let free = try #require(attributes[.systemFreeSize] as? Int)
    let file = open(directory.path("filler"), O_WRONLY | O_CREAT | O_APPEND, 0o644)
    defer { close(file) }
    let block = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<max(0, free - bytes) / block.count {
      guard write(file, block, block.count) == block.count else { break }
    }
  }

  /// Gives the space back.
  func clear() throws {
    try FileManager.default.removeItem(atPath: directory.path("filler"))
  }
}
