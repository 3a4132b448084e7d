/// The bytes of an asset, wherever they are: a file, a block cache over HTTP, memory in tests.
///
/// Reading blocks. It happens on the threads that own the demuxers, never on the cooperative pool.
public protocol ByteSource: Sendable {
  /// The asset's length in bytes.
  var size: Int64 { get }

  /// Reads up to `buffer.count` bytes at `offset` and returns their number, which is 0 only at the end.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
