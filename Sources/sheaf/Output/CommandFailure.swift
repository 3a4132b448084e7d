/// The reason why a run of `sheaf` failed, in the words that it reports.
package struct CommandFailure: Error, Hashable, Sendable {
  /// The exit code.
  package var exitCode: ExitCode
  /// The reports, one a line: `what failed: on what: what to do`. None where there is nothing to say.
  package var lines: [String]

  /// A failure with one report.
  package init(
    _ exitCode: ExitCode = .failed, _ problem: String, on subject: String, remedy: String? = nil
  ) {
    self.exitCode = exitCode
    lines = [([problem, subject] + (remedy.map { [$0] } ?? [])).joined(separator: ": ")]
  }

  /// A failure with any number of reports.
  package init(_ exitCode: ExitCode, lines: [String]) {
    self.exitCode = exitCode
    self.lines = lines
  }

  /// Findings of a project, each as `path: message`.
  package static func invalidProject(_ findings: [String]) -> CommandFailure {
    CommandFailure(.invalidProject, lines: findings.map { "invalid project: \($0)" })
  }

  /// The run was stopped by a signal.
  package static let interrupted = CommandFailure(.interrupted, lines: [])
  /// The reader of the output has gone.
  package static let outputClosed = CommandFailure(.outputClosed, lines: [])
}
