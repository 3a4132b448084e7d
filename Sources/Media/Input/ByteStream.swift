/// Bytes that arrive over time and cannot be read again: a socket or a pipe.
public protocol ByteStream: AnyObject {
  /// Waits for bytes, and returns their number; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
