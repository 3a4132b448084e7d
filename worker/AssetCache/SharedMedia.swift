import FarmAPI
import Foundation
import Media

/// Directories that this host shares with the coordinator, whose files need not go over HTTP.
package struct SharedMedia: Sendable {
  private let roots: [String]

  /// Media under the directories; links in their paths are followed once, here.
  package init(roots: [String]) {
    self.roots = roots.compactMap(Self.resolved)
  }

  /// The file of a reference, or `nil` if it is not under a local root or has another size. The reader has to check its
  /// bytes.
  package func file(_ reference: AssetReference) -> FileByteSource? {
    guard let path = reference.path.flatMap(Self.resolved),
      roots.contains(where: { path.hasPrefix($0 == "/" ? $0 : $0 + "/") }),
      let file = try? FileByteSource(path: path, throughLinks: false),
      file.size == reference.byteCount
    else { return nil }
    return file
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
