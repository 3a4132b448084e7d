import Crypto

/// A byte source in memory.
public final class MemoryByteSource: ByteSource {
  private let bytes: [UInt8]

  /// The length in bytes.
  public var size: Int64 { Int64(bytes.count) }

  /// Holds bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Copies all bytes of a source.
  public init(_ source: any ByteSource) throws { bytes = try source.bytes(upTo: Int(source.size)) }

  /// Calls `body` with the bytes, which are valid during the call.
  func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    bytes.withUnsafeBytes(body)
  }

  /// The SHA-256 of the bytes.
  public var digest: Digest { Digest.of(bytes) }

  /// The content in the form in which the writer of a file records it.
  public var written: WrittenContent { WrittenContent.of(bytes) }

  /// Reads at `offset`.
  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard offset >= 0, offset < size else { return 0 }
    let count = min(buffer.count, bytes.count - Int(offset))
    bytes.withUnsafeBytes {
      buffer.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<Int(offset) + count]))
    }
    return count
  }
}
