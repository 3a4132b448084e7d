import Foundation

extension MismatchError {
  fileprivate init(_ value: Value, _ expected: String) {
    self.init("expected \(expected), found \(value.kind)")
  }
}

extension Value: Storable {
  /// Accepts any value unchanged.
  public init(sqlValue: Value) { self = sqlValue }
  /// The value itself.
  public var sqlValue: Value { self }
}

extension Storable where Self: FixedWidthInteger {
  /// Reads an integer that fits in the type.
  public init(sqlValue: Value) throws(MismatchError) {
    guard case .integer(let stored) = sqlValue else { throw MismatchError(sqlValue, "an integer") }
    guard let value = Self(exactly: stored) else {
      throw MismatchError("\(stored) does not fit in \(Self.self)")
    }
    self = value
  }
}

extension Int64: Storable {
  /// An integer.
  public var sqlValue: Value { .integer(self) }
}

extension Int: Storable {
  /// An integer.
  public var sqlValue: Value { .integer(Int64(self)) }
}

extension Int32: Storable {
  /// An integer.
  public var sqlValue: Value { .integer(Int64(self)) }
}

extension Bool: Storable {
  /// Reads 0 or 1.
  public init(sqlValue: Value) throws(MismatchError) {
    switch sqlValue {
    case .integer(0): self = false
    case .integer(1): self = true
    default: throw MismatchError(sqlValue, "0 or 1")
    }
  }

  /// 0 or 1.
  public var sqlValue: Value { .integer(self ? 1 : 0) }
}

extension Double: Storable {
  /// Reads a real number or an integer.
  public init(sqlValue: Value) throws(MismatchError) {
    switch sqlValue {
    case .real(let value): self = value
    case .integer(let value): self = Double(value)
    default: throw MismatchError(sqlValue, "a number")
    }
  }

  /// A real number.
  public var sqlValue: Value { .real(self) }
}

extension String: Storable {
  /// Reads text.
  public init(sqlValue: Value) throws(MismatchError) {
    guard case .text(let text) = sqlValue else { throw MismatchError(sqlValue, "text") }
    self = text
  }

  /// The text.
  public var sqlValue: Value { .text(self) }
}

extension [UInt8]: Storable {
  /// Reads a blob.
  public init(sqlValue: Value) throws(MismatchError) {
    guard case .blob(let bytes) = sqlValue else { throw MismatchError(sqlValue, "a blob") }
    self = bytes
  }

  /// A blob.
  public var sqlValue: Value { .blob(self) }
}

extension Data: Storable {
  /// Reads a blob.
  public init(sqlValue: Value) throws(MismatchError) {
    self.init(try [UInt8](sqlValue: sqlValue))
  }

  /// A blob.
  public var sqlValue: Value { .blob([UInt8](self)) }
}

extension Optional: Storable where Wrapped: Storable {
  /// Reads NULL as `nil`.
  public init(sqlValue: Value) throws(MismatchError) {
    self = sqlValue == .null ? nil : try Wrapped(sqlValue: sqlValue)
  }

  /// NULL for `nil`.
  public var sqlValue: Value { self?.sqlValue ?? .null }
}

extension Storable where Self: RawRepresentable, RawValue: Storable {
  /// Reads the raw value.
  public init(sqlValue: Value) throws(MismatchError) {
    let raw = try RawValue(sqlValue: sqlValue)
    guard let value = Self(rawValue: raw) else {
      throw MismatchError("'\(raw)' is not a valid \(Self.self)")
    }
    self = value
  }

  /// The raw value.
  public var sqlValue: Value { rawValue.sqlValue }
}
