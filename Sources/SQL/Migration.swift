/// One numbered step of a database's schema.
public struct Migration: Hashable, Sendable {
  /// Its position: 1, 2, 3, and so on. The number of a released migration never changes.
  public let number: Int
  /// A description of the change, for messages.
  public let name: String
  /// The statements that make the change.
  public let sql: String

  /// Creates the migration called `name` that runs the statements of `sql`.
  public init(_ number: Int, _ name: String, _ sql: String) {
    self.number = number
    self.name = name
    self.sql = sql
  }
}
