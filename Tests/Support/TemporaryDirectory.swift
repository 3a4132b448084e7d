import Foundation

/// A new folder that is deleted with everything in it when its last reference goes away.
public final class TemporaryDirectory: Sendable {
  /// The folder's absolute path.
  public let path: String

  /// Creates the folder in `parent`, or in the system's temporary folder if `parent` does not exist.
  public init(in parent: String? = nil) throws {
    let manager = FileManager.default
    let parent = parent.flatMap { manager.fileExists(atPath: $0) ? URL(filePath: $0) : nil }
    let folder = (parent ?? manager.temporaryDirectory).appendingPathComponent(
      "sheaf-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path
  }

  deinit {
    // Removing stops at a file that vanished meanwhile: a process or a coordinator of the test may still be ending.
    for _ in 0..<10 where FileManager.default.fileExists(atPath: path) {
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// The path of a file in the folder.
  public func path(_ name: String) -> String { path + "/" + name }
}
