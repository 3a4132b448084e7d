import Foundation
import Timeline

/// The path of a finished file, which is checked before any work is done.
package struct OutputPath: Hashable, Sendable {
  /// The absolute path.
  package let path: String
  /// The container that the extension names.
  package let fileType: FileType

  /// Checks a path: the extension names a container, the directory is writable, the path is not an input, and no file
  /// exists there unless it may be replaced.
  ///
  /// - Throws: ``CommandFailure``.
  package init(
    _ text: String, inputs: [String] = [], mayReplace: Bool
  ) throws(CommandFailure) {
    let url = URL(fileURLWithPath: text)
    guard let fileType = FileType(rawValue: url.pathExtension.lowercased()) else {
      throw CommandFailure(
        .usage, "unknown output file type", on: text,
        remedy: "use one of these extensions: "
          + FileType.allCases.map { ".\($0.rawValue)" }.joined(separator: ", "))
    }
    try Self.checkPlace(url, as: text, inputs: inputs, mayReplace: mayReplace)
    path = url.path
    self.fileType = fileType
  }

  /// Checks that a file can be written at a place: the directory is writable, the path is not an input, and no file
  /// exists there unless it may be replaced.
  ///
  /// - Parameter text: the path as the user wrote it.
  /// - Throws: ``CommandFailure``.
  static func checkPlace(
    _ url: URL, as text: String, inputs: [String] = [], mayReplace: Bool
  ) throws(CommandFailure) {
    let path = url.path
    let directory = url.deletingLastPathComponent().path
    var status = stat()
    guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw CommandFailure(
        .failed, "cannot write the output", on: text,
        remedy: "create the directory \(directory) first")
    }
    guard access(directory, W_OK | X_OK) == 0 else {
      throw CommandFailure(
        .failed, "cannot write the output", on: text,
        remedy: "choose a directory that you may write to (\(String(cString: strerror(errno))))")
    }
    guard stat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure(
        .failed, "cannot write the output", on: text,
        remedy: "choose another name (this one is not a regular file)")
    }
    for input in inputs {
      var other = stat()
      guard stat(input, &other) == 0 else { continue }
      guard other.st_dev != status.st_dev || other.st_ino != status.st_ino else {
        throw CommandFailure(
          .usage, "the output is one of the inputs", on: text, remedy: "choose another name")
      }
    }
    guard mayReplace else {
      throw CommandFailure(
        .failed, "the output already exists", on: text,
        remedy: "choose another name, or replace it with --overwrite")
    }
  }

  /// A path as it is shown: relative if it is under the current directory.
  static func shown(_ path: String) -> String {
    let current = FileManager.default.currentDirectoryPath
    let prefix = current.hasSuffix("/") ? current : current + "/"
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
  }

  /// A hidden path in the output's directory.
  package func sibling(_ suffix: String) -> String {
    let url = URL(fileURLWithPath: path)
    return url.deletingLastPathComponent().appendingPathComponent(
      ".\(url.lastPathComponent).\(suffix)"
    ).path
  }

  /// Renames the finished file at `part`, on the same file system, to the output.
  ///
  /// - Throws: ``CommandFailure``, after it removes the part.
  package func take(_ part: String) throws(CommandFailure) {
    guard rename(part, path) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(part)
      throw CommandFailure(.failed, "cannot write the output", on: path, remedy: reason)
    }
  }
}
