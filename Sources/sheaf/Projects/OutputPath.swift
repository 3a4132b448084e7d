import Foundation
import Timeline

/// The path of a finished file, which is checked before any work is done.
package struct OutputPath: Hashable, Sendable {
  /// The absolute path.
  package let path: String
  /// The container that the extension names.
  package let fileType: FileType

  /// Checks a path: its extension is that of a container, its directory can be written, it is none of the inputs,
  /// and nothing is there unless it may be replaced.
  ///
  /// - Throws: ``CommandFailure``.
  package init(
    _ text: String, inputs: [String] = [], mayReplace: Bool
  ) throws(CommandFailure) {
    let url = URL(fileURLWithPath: text)
    guard let fileType = FileType(rawValue: url.pathExtension.lowercased()) else {
      throw CommandFailure(
        .usage, "cannot tell the file type", on: text,
        remedy: "end the output's name in one of: "
          + FileType.allCases.map { ".\($0.rawValue)" }.joined(separator: ", "))
    }
    path = url.path
    self.fileType = fileType
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
        remedy: "choose another name (what is there is not a file)")
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
        .failed, "the output exists already", on: text,
        remedy: "choose another name, or replace it with --overwrite")
    }
  }

  /// A hidden path in the output's directory.
  package func sibling(_ suffix: String) -> String {
    let url = URL(fileURLWithPath: path)
    return url.deletingLastPathComponent().appendingPathComponent(
      ".\(url.lastPathComponent).\(suffix)"
    ).path
  }

  /// Makes the finished file at `part`, on the same file system, the output, in one step.
  ///
  /// - Throws: ``CommandFailure``; the part is removed then.
  package func take(_ part: String) throws(CommandFailure) {
    guard rename(part, path) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(part)
      throw CommandFailure(.failed, "cannot write the output", on: path, remedy: reason)
    }
  }
}
