/// An error in the arguments.
package struct UsageError: Error, Hashable, CustomStringConvertible {
  /// The problem, and what to write instead.
  package let message: String

  package var description: String { message }

  init(_ message: String) { self.message = message }
}
