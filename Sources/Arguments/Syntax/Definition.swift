/// A term and its meaning: an exit code, or a variable of the environment.
package struct Definition: Hashable, Sendable {
  package var term: String
  /// Its meaning, in one sentence without a final period.
  package var meaning: String

  package init(_ term: String, _ meaning: String) {
    self.term = term
    self.meaning = meaning
  }
}
