/// The exit codes of `sheaf`. There are no others.
package enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
  /// It did what was asked.
  case success = 0
  /// It could not.
  case failed = 1
  /// The command line cannot be read.
  case usage = 2
  /// The project has findings.
  case invalidProject = 3
  /// No coordinator answers.
  case coordinatorUnreachable = 4
  /// It was stopped by a signal.
  case interrupted = 130
  /// The reader of its output has gone.
  case outputClosed = 141
}
