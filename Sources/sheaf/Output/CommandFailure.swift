/// The reason why a run of `sheaf` failed, as reported to the user.
package struct CommandFailure: Error, Hashable, Sendable {
  package var exitCode: ExitCode
  /// The reports, one a line: `what failed: on what: what to do`. Empty if there is nothing to report.
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

  /// A signal stopped the run.
  package static let interrupted = CommandFailure(.interrupted, lines: [])
  /// The reader closed the output.
  package static let outputClosed = CommandFailure(.outputClosed, lines: [])
}
