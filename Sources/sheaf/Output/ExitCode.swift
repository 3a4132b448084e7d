/// The exit codes of `sheaf`. There are no others.
package enum ExitCode: Int32, Hashable, Sendable, CaseIterable, Comparable {
  /// The command succeeded.
  case success = 0
  /// The command failed.
  case failed = 1
  /// The command line is invalid.
  case usage = 2
  /// The project has findings.
  case invalidProject = 3
  /// The coordinator cannot be reached.
  case coordinatorUnreachable = 4
  /// The coordinator does not allow it: the token is missing, invalid or of another role.
  case notAllowed = 5
  /// A signal stopped the command.
  case interrupted = 130
  /// The reader closed the output.
  case outputClosed = 141

  /// Orders by number.
  package static func < (left: ExitCode, right: ExitCode) -> Bool { left.rawValue < right.rawValue }
}
