import Foundation
import Support

/// A disk of a few mebibytes in memory, which can be filled. Only root can mount it.
final class SmallDisk: Sendable {
  /// Where it is mounted.
  let path: String

  /// Whether this process may mount one.
  static let isPossible: Bool = {
    guard geteuid() == 0, let folder = try? TemporaryDirectory() else { return false }
    return (try? SmallDisk(at: folder.path, mebibytes: 1)) != nil
  }()

  /// Mounts one on a folder.
  init(at path: String, mebibytes: Int) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Tool.run("mount", ["-t", "tmpfs", "-o", "size=\(mebibytes)m", "tmpfs", path])
  }

  deinit { _ = try? Tool.run("umount", ["-l", path]) }

  private var ballast: String { path + "/ballast" }

  /// Takes all the space that is left.
  func fill() {
    let file = open(ballast, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    for size in [1 << 16, 1 << 12, 1] {
      let block = [UInt8](repeating: 0, count: size)
      while write(file, block, size) == size {}
    }
  }

  /// Gives the space back.
  func free() { unlink(ballast) }
}
