import ProjectFormat

/// Reports findings in a project that the command line made, which its user never saw, by the arguments that caused
/// them.
struct ArgumentNames {
  /// The arguments by the paths of the values that they set.
  private let names: [String: String]

  /// Creates names from paths such as `export.video.crf`.
  init(_ names: [String: String]) { self.names = names }

  /// The failure of the command: invalid arguments if an option caused each finding, else an invalid project.
  func failure(_ error: ProjectError) -> CommandFailure {
    let subjects = error.findings.map { name(of: $0.path.description) }
    let areOptions = subjects.allSatisfy { $0?.hasPrefix("--") ?? false }
    return CommandFailure(
      areOptions ? .usage : .invalidProject,
      lines: zip(error.findings, subjects).map { finding, subject in
        let text = "\(translated(finding.problem)): \(translated(finding.remedy))"
        return areOptions
          ? "invalid argument: \(subject ?? ""): \(text)"
          : "invalid project: \(subject ?? finding.path.description): \(text)"
      })
  }

  /// The argument that sets the value at a path, or the value around it.
  private func name(of path: String) -> String? {
    names.filter { known, _ in
      path == known || path.hasPrefix(known + ".") || path.hasPrefix(known + "[")
    }.max { $0.key.count < $1.key.count }?.value
  }

  /// The text with arguments in place of the paths of values.
  private func translated(_ text: String) -> String {
    names.filter { $0.key.contains(".") }.sorted { $0.key.count > $1.key.count }
      .reduce(text) { $0.replacing($1.key, with: $1.value) }
  }
}
