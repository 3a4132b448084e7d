import ProjectFormat

/// Reports findings in a project that the command line made, which its user never saw, by the arguments that caused
/// them.
struct ArgumentNames {
  /// The arguments by the paths of the values that they set.
  private let names: [FindingPath: String]

  /// Creates names from paths such as `export.video.crf`.
  init(_ names: [FindingPath: String]) { self.names = names }

  /// The failure of the command: invalid arguments if an option caused each finding, else an invalid project.
  func failure(_ error: ProjectError) -> CommandFailure {
    let subjects = error.findings.map { name(of: $0.path) }
    let areOptions = subjects.allSatisfy { $0?.hasPrefix("--") ?? false }
    return CommandFailure(
      areOptions ? .usage : .invalidProject,
      lines: zip(error.findings, subjects).map { finding, subject in
        let text =
          "\(translated(finding.problem, of: finding)): \(translated(finding.remedy, of: finding))"
        return areOptions
          ? "invalid argument: \(subject ?? ""): \(text)"
          : "invalid project: \(subject ?? finding.path.description): \(text)"
      })
  }

  /// The argument that sets the value at a path, or the value around it.
  private func name(of path: FindingPath) -> String? {
    names.filter { path.isWithin($0.key) }.max { $0.key.steps.count < $1.key.steps.count }?.value
  }

  /// The text with arguments in place of the values that the finding mentions.
  private func translated(_ text: String, of finding: Finding) -> String {
    finding.mentions.reduce(text) { text, path in
      names[path].map { text.replacing(path.description, with: $0) } ?? text
    }
  }
}
