import CPostgreSQL
import SQL

/// The values of a statement's parameters in PostgreSQL's binary format.
struct QueryParameters: Sendable {
  static let binary: Int32 = 1

  private let types: [Oid]
  private let lengths: [Int32]
  /// The bytes of all values, one after the other.
  private let bytes: [UInt8]
  /// The position of each value in ``bytes``; `nil` for NULL.
  private let offsets: [Int?]

  init(_ values: [any Storable]) {
    var (types, lengths, bytes): ([Oid], [Int32], [UInt8]) = ([], [], [])
    var offsets: [Int?] = []
    for value in values.map(\.sqlValue) {
      types.append(TypeID(of: value)?.rawValue ?? 0)
      let start = bytes.count
      switch value {
      // The statement decides the type of a NULL.
      case .null: break
      case .integer(let number): bytes += Self.bigEndian(UInt64(bitPattern: number))
      case .real(let number): bytes += Self.bigEndian(number.bitPattern)
      case .text(let text): bytes += text.utf8
      case .blob(let blob): bytes += blob
      }
      offsets.append(value == .null ? nil : start)
      lengths.append(Int32(clamping: bytes.count - start))
    }
    (self.types, self.lengths, self.bytes, self.offsets) = (types, lengths, bytes, offsets)
  }

  private static func bigEndian(_ number: UInt64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// Calls `body` with the arrays that libpq expects.
  func withPointers<Result>(
    _ body: (
      _ types: [Oid], _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
    ) -> Result
  ) -> Result {
    // An empty value is not NULL, so it needs an address too.
    (bytes + [0]).withUnsafeBytes { buffer in
      let values = offsets.map { offset in
        offset.flatMap { buffer.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
      }
      return body(types, values, lengths, lengths.map { _ in Self.binary })
    }
  }
}
