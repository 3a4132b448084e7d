/// A file that was cut short, at the length that its index promises: what is missing reads as zeros.
///
/// So the packets that are missing can be told from those that are there, with their times.
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
