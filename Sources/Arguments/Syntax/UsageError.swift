/// An invalid command line.
package struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The exit code of programs whose command line is invalid.
  package static let exitCode: Int32 = 2

  package var problem: String
  /// The argument that is wrong.
  package var subject: String
  /// The command whose help to suggest, e.g. `sheaf render`.
  package var command: String
  /// The word that was probably meant instead.
  package var suggestion: String?

  /// Creates an error. A token in the subject is left out, because messages may be logged.
  package init(
    _ problem: String, on subject: String, command: String, suggesting suggestion: String? = nil
  ) {
    self.problem = problem
    self.subject = subject.withoutTokens
    self.command = command
    self.suggestion = suggestion
  }

  /// The suggestion of another word, and to read the command's help.
  package var remedy: String {
    let help = "see `\(command) --help`"
    return suggestion.map { "did you mean \($0)? If not, \(help)" } ?? help
  }

  /// One line: what failed, on what, what to do.
  package var description: String { "\(problem): \(subject): \(remedy)" }
}

extension String {
  /// The text without tokens of Sheaf, which may be where a path or a name belongs.
  package var withoutTokens: String {
    replacing(#/sheaf_[A-Za-z0-9_-]{30,}/#, with: "sheaf_...")
  }

  /// The text without the names and passwords of the URLs in it.
  package var withoutPasswords: String {
    replacing(#/:\/\/[^\/@\s]*@/#, with: "://")
  }
}
