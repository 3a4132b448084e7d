import Foundation
import Preparation

/// The path of a picture to write, which is checked before any work is done.
package struct PicturePath: Hashable, Sendable {
  /// The absolute path.
  package let path: String
  /// The format that the extension names.
  package let format: StillFormat

  /// The formats by extension.
  private static let formats: [(name: String, format: StillFormat)] = [
    ("png", .png), ("jpg", .jpeg), ("jpeg", .jpeg),
  ]

  /// Checks a path as ``OutputPath`` does.
  ///
  /// - Throws: ``CommandFailure``.
  package init(
    _ text: String, inputs: [String] = [], mayReplace: Bool
  ) throws(CommandFailure) {
    let url = URL(fileURLWithPath: text)
    let name = url.pathExtension.lowercased()
    guard let format = Self.formats.first(where: { $0.name == name })?.format else {
      throw CommandFailure(
        .usage, "unknown picture type", on: text,
        remedy: "use one of these extensions: "
          + Self.formats.map { ".\($0.name)" }.joined(separator: ", "))
    }
    try OutputPath.checkPlace(url, as: text, inputs: inputs, mayReplace: mayReplace)
    path = url.path
    self.format = format
  }

  /// Copies a finished picture to the path. The file appears complete or not at all.
  ///
  /// - Throws: ``CommandFailure``.
  func take(_ picture: String) throws(CommandFailure) {
    do {
      try Data(contentsOf: URL(fileURLWithPath: picture))
        .write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw CommandFailure(
        .failed, "cannot write the output", on: path, remedy: error.localizedDescription)
    }
  }
}
