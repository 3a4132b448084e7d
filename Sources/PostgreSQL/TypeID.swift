import CPostgreSQL
import SQL

/// The types that this module reads and writes, by their numbers in PostgreSQL's catalog (`pg_type.dat`).
enum TypeID: Oid {
  case boolean = 16
  case bytea = 17
  case name = 19
  case bigint = 20
  case smallint = 21
  case integer = 23
  case text = 25
  case double = 701
  case unknown = 705
  case varchar = 1043
  case numeric = 1700

  /// The type under which a value is sent; `nil` for NULL, which has none.
  init?(of value: Value) {
    switch value {
    case .null: return nil
    case .integer: self = .bigint
    case .real: self = .double
    case .text: self = .text
    case .blob: self = .bytea
    }
  }

  /// A value from its binary format; `nil` if the bytes are not valid.
  func decode(_ bytes: UnsafeRawBufferPointer) -> Value? {
    switch self {
    case .boolean: bytes.count == 1 ? .integer(bytes[0] == 0 ? 0 : 1) : nil
    case .smallint: Self.load(bytes, as: Int16.self).map { .integer(Int64($0)) }
    case .integer: Self.load(bytes, as: Int32.self).map { .integer(Int64($0)) }
    case .bigint: Self.load(bytes, as: Int64.self).map { .integer($0) }
    case .double: Self.load(bytes, as: UInt64.self).map { .real(Double(bitPattern: $0)) }
    case .text, .varchar, .name, .unknown: .text(String(decoding: bytes, as: UTF8.self))
    case .bytea: .blob(Array(bytes))
    case .numeric: Self.numeric(bytes)
    }
  }

  private static func load<T: FixedWidthInteger>(
    _ bytes: UnsafeRawBufferPointer, as type: T.Type
  ) -> T? {
    guard bytes.count == MemoryLayout<T>.size else { return nil }
    return T(bigEndian: bytes.loadUnaligned(as: T.self))
  }

  /// A whole number of the type `numeric`, such as the sum of bigints: digits of base 10,000, the first with the given
  /// weight (`numeric_send` in PostgreSQL's `numeric.c`).
  private static func numeric(_ bytes: UnsafeRawBufferPointer) -> Value? {
    guard bytes.count >= 8, bytes.count % 2 == 0 else { return nil }
    let words = stride(from: 0, to: bytes.count, by: 2).map { start in
      Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: Int16.self))
    }
    let (count, weight) = (Int(words[0]), Int(words[1]))
    let sign: Int64
    switch UInt16(bitPattern: words[2]) {
    case 0: sign = 1
    case 0x4000: sign = -1
    default: return nil
    }
    guard words.count == 4 + count, count <= weight + 1 else { return nil }
    var number: Int64 = 0
    for position in 0..<max(0, weight + 1) {
      let digit = position < count ? Int64(words[4 + position]) * sign : 0
      let (shifted, overflows) = number.multipliedReportingOverflow(by: 10_000)
      let (sum, exceeds) = shifted.addingReportingOverflow(digit)
      guard !overflows, !exceeds else { return nil }
      number = sum
    }
    return .integer(number)
  }
}
