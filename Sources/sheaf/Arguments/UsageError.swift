/// An invalid command line.
package struct UsageError: Error, Hashable, Sendable {
  /// The problem.
  package var problem: String
  /// The argument that is wrong.
  package var subject: String
  /// The subcommand whose help to suggest; `nil` for the help of the program itself.
  package var command: String?

  /// Creates an error.
  package init(_ problem: String, on subject: String, command: String?) {
    self.problem = problem
    self.subject = subject
    self.command = command
  }

  /// The error as the command line reports it.
  package var failure: CommandFailure {
    let line = ["sheaf", command, "--help"].compactMap(\.self).joined(separator: " ")
    return CommandFailure(.usage, problem, on: subject, remedy: "see `\(line)`")
  }
}
