import Foundation

/// The directories with files that projects may refer to without an upload.
struct MediaRoots: Hashable, Sendable {
  /// The absolute paths of the roots, without symbolic links.
  private let roots: [String]

  /// Resolves the roots at `paths`.
  ///
  /// - Throws: ``StorageError`` if a path does not exist.
  init(_ paths: [String]) throws(StorageError) {
    var roots: [String] = []
    for path in paths {
      guard let real = Self.realPath(path) else {
        throw StorageError(
          .unreadable, "the media root \(path) does not exist: name an existing directory")
      }
      roots.append(real)
    }
    self.roots = roots
  }

  /// The file at a path, with all symbolic links resolved, if it lies under a root.
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
