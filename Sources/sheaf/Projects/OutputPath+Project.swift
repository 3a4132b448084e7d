import ProjectFormat
import Timeline

extension OutputPath {
  /// Checks a path for a project's output.
  ///
  /// - Throws: ``CommandFailure``, also if the path's extension does not match the project's file type.
  package init(_ text: String, for project: ProjectFile, mayReplace: Bool) throws(CommandFailure) {
    try self.init(text, inputs: Array(project.paths.values), mayReplace: mayReplace)
    let made = project.document.export.fileType
    guard fileType == made else {
      throw CommandFailure(
        .usage, "the project produces \(made.rawValue) files", on: text,
        remedy: "name the output .\(made.rawValue), or set \"export.fileType\" in the project")
    }
  }
}
