/// The error for a child that ended without an answer.
public struct ChildSilence: Error, Hashable, Sendable {
  /// How the child ended, as a phrase that follows its name.
  public var explanation: String
  /// The cause.
  public var cause: Cause
  /// Whether it had answered an earlier request.
  public var hadAnswered: Bool
  /// The last line that it wrote to its standard error.
  public var lastWords: String?
  /// How it ended by itself; `nil` if it was killed here.
  public var ending: ProcessEnding?

  /// The cause of a missing answer.
  public enum Cause: Hashable, Sendable {
    /// The child: it crashed, exceeded a limit, or sent an invalid answer.
    case child
    /// Something outside the child ended it. Another attempt may succeed.
    case outside
    /// It exceeded its time, and was killed.
    case timeout
  }
}
