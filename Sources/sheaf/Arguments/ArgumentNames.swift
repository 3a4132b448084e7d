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
        let text = "\(translated(finding.problem)): \(translated(finding.remedy))"
        return areOptions
          ? "invalid argument: \(subject ?? ""): \(text)"
          : "invalid project: \(subject ?? finding.path.description): \(text)"
      })
  }

  /// The argument that sets the value at a path, or the value around it.
  private func name(of path: FindingPath) -> String? {
    names.filter { path.isWithin($0.key) }.max { $0.key.steps.count < $1.key.steps.count }?.value
  }

  /// The text with arguments in place of the paths of values that it mentions. Findings are sentences, so a mention is
  /// a word that reads as a path of more than one step.
  private func translated(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let first = rest.first {
      let word = rest.prefix { Self.isOfPath($0) }
      let path = FindingPath(stringLiteral: String(word))
      let name = path.steps.count > 1 && path.description == word ? names[path] : nil
      result += name ?? String(word)
      rest = rest[word.endIndex...]
      if word.isEmpty {
        result.append(first)
        rest.removeFirst()
      }
    }
    return result
  }

  private static func isOfPath(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "._-[]".contains(character)
  }
}
