/// A truncated file, extended to the length that its index implies. Missing bytes read as zeros.
///
/// This way, missing packets get their times and can be distinguished from existing ones.
struct ExtendedByteSource: ByteSource {
  private let source: any ByteSource
  let size: Int64

  init(_ source: any ByteSource, size: Int64) {
    self.source = source
    self.size = size
  }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard offset >= source.size else { return try source.read(at: offset, into: buffer) }
    let count = Int(min(Int64(buffer.count), max(size - offset, 0)))
    UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).initializeMemory(
      as: UInt8.self, repeating: 0)
    return count
  }
}
