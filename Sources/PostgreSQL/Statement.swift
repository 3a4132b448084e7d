import CPostgreSQL
import SQL

/// A statement with values for its parameters `$1`, `$2`, ….
public struct Statement: Sendable {
  let sql: String
  private let parameters: QueryParameters

  /// Creates a statement with values for its parameters.
  public init(_ sql: String, _ values: any Storable...) {
    self.init(sql, bind: values)
  }

  /// Creates a statement with a list of values for its parameters.
  public init(_ sql: String, bind values: [any Storable]) {
    self.sql = sql
    parameters = QueryParameters(values)
  }

  /// Sends the statement. Returns whether the connection still works.
  func send(over connection: OpaquePointer) -> Bool {
    parameters.withPointers { types, values, lengths, formats in
      PQsendQueryParams(
        connection, sql, Int32(types.count), types, values, lengths, formats,
        QueryParameters.binary) == 1
    }
  }
}
