import Foundation

/// The directories whose files may be referred to instead of uploaded.
struct MediaRoots: Hashable, Sendable {
  /// Absolute, without symbolic links.
  private let roots: [String]

  /// The roots at `paths`.
  ///
  /// - Throws: ``StorageError`` if one is not a directory.
  init(_ paths: [String]) throws(StorageError) {
    var roots: [String] = []
    for path in paths {
      guard let real = Self.realPath(path) else {
        throw StorageError(
          .unreadable, "there is no such media root: \(path): name a directory that is there")
      }
      roots.append(real)
    }
    self.roots = roots
  }

  /// The file that a path leads to, if it lies under a root after every symbolic link.
  func resolve(_ path: String) -> String? {
    guard path.hasPrefix("/"), let real = Self.realPath(path) else { return nil }
    return roots.contains { real.hasPrefix($0 == "/" ? $0 : $0 + "/") } ? real : nil
  }

  private static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
