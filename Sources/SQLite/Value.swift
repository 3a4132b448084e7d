/// One value as SQLite stores it.
public enum Value: Hashable, Sendable {
  /// SQL NULL.
  case null
  /// A signed 64-bit integer.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// UTF-8 text.
  case text(String)
  /// Bytes.
  case blob([UInt8])

  /// The storage class, for messages.
  var kind: String {
    switch self {
    case .null: "NULL"
    case .integer: "an integer"
    case .real: "a real number"
    case .text: "a text"
    case .blob: "a blob"
    }
  }
}

/// A type that can be bound to a parameter and read from a column.
///
/// An enum over a storable raw value needs the declaration of conformance and no more.
public protocol Storable {
  /// The value that was stored.
  ///
  /// - Throws: ``SQLiteError/Code/typeMismatch`` if the value is not one of this type.
  init(sqlValue: Value) throws(SQLiteError)

  /// The value to store.
  var sqlValue: Value { get }
}
