/// A message between two processes: a kind, bytes, and at most one descriptor.
public struct Message: Hashable, Sendable {
  /// The kind of message, as agreed between the two processes.
  public var kind: UInt8
  /// The content.
  public var bytes: [UInt8]
  /// The descriptor that is passed on; -1 for none.
  public var descriptor: Int32

  /// Creates a message.
  public init(kind: UInt8 = 0, bytes: [UInt8], descriptor: Int32 = -1) {
    self.kind = kind
    self.bytes = bytes
    self.descriptor = descriptor
  }

  /// The content of a message that consists of numbers: eight bytes each, the lowest first.
  public static func bytes(of numbers: [Int64]) -> [UInt8] {
    numbers.flatMap { number in withUnsafeBytes(of: number.littleEndian) { Array($0) } }
  }

  /// The numbers that a content consists of; `nil` if there are not `count`.
  public static func numbers(_ count: Int, in bytes: [UInt8]) -> [Int64]? {
    guard bytes.count == count * 8 else { return nil }
    return bytes.withUnsafeBytes { bytes in
      (0..<count).map {
        Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self))
      }
    }
  }
}
