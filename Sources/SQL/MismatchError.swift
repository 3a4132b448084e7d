/// A column does not exist, or its value is not of the requested type.
public struct MismatchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The column, the requested type and the value that was found.
  public let message: String
  /// The statement that returned the column, if known.
  public let sql: String?

  /// The message, with the statement if it is known.
  public var description: String { sql.map { "\(message): in: \($0)" } ?? message }

  /// Creates an error with a message.
  public init(_ message: String, sql: String? = nil) {
    self.message = message
    self.sql = sql
  }
}
