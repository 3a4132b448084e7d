/// An example command line.
package struct Example: Hashable, Sendable {
  /// The command line; it may go on after a backslash at the end of a line.
  package var line: String
  /// A description of its effect, in one sentence without a final period.
  package var explanation: String

  package init(_ line: String, _ explanation: String) {
    self.line = line
    self.explanation = explanation
  }
}
