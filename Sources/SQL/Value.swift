/// A value as a database stores it.
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
    case .text: "text"
    case .blob: "a blob"
    }
  }
}

/// A type that can be bound to a parameter and read from a column.
///
/// An enum with a storable raw value only has to declare the conformance.
public protocol Storable {
  /// Creates a value from the stored one.
  ///
  /// - Throws: ``MismatchError`` if the stored value is not of this type.
  init(sqlValue: Value) throws(MismatchError)

  /// The value to store.
  var sqlValue: Value { get }
}
