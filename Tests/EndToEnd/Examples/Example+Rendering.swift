import Foundation
import Support
import Testing

extension Example {
  /// `examples/`.
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "examples")

  /// The example with a name.
  static func named(_ name: String) throws -> Example {
    try #require(all.first { $0.name == name }, "\(name)")
  }

  /// The unchanged project.
  var text: String {
    get throws {
      try String(contentsOf: Self.folder.appending(path: "\(name).json"), encoding: .utf8)
    }
  }

  /// Renders the project in a folder that has its media.
  func rendered(in work: TemporaryDirectory) throws -> Rendered {
    for file in try FileManager.default.contentsOfDirectory(atPath: Self.folder.path) {
      try FileManager.default.copyItem(
        atPath: Self.folder.path + "/" + file, toPath: work.path(file))
    }
    return try Rendered([work.path("\(name).json")], in: work)
  }
}
