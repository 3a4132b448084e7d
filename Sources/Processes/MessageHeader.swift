/// The eight bytes before each message's content.
///
/// | bytes | |
/// |---|---|
/// | 0–3 | the number of bytes of the content, the lowest byte first |
/// | 4 | the kind |
/// | 5 | the number of descriptors that come with the header: 0 or 1 |
/// | 6–7 | 0 |
struct MessageHeader: Equatable {
  static let size = 8

  var byteCount: Int
  var kind: UInt8
  var hasDescriptor: Bool

  init(byteCount: Int, kind: UInt8 = 0, hasDescriptor: Bool = false) {
    self.byteCount = byteCount
    self.kind = kind
    self.hasDescriptor = hasDescriptor
  }

  /// The header's bytes; `nil` if the content is too long for any message.
  var bytes: [UInt8]? {
    guard let count = UInt32(exactly: byteCount) else { return nil }
    return withUnsafeBytes(of: count.littleEndian) { Array($0) }
      + [kind, hasDescriptor ? 1 : 0, 0, 0]
  }

  /// The number of bytes of the content that a header announces.
  static func byteCount(in bytes: [UInt8]) -> Int {
    bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads a header; `nil` if it is invalid.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size, bytes[5] <= 1, bytes[6] == 0, bytes[7] == 0 else { return nil }
    self.init(
      byteCount: Self.byteCount(in: bytes), kind: bytes[4], hasDescriptor: bytes[5] == 1)
  }
}
