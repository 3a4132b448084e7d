/// A byte source that replaces some bytes of another source.
struct PatchedByteSource: ByteSource {
  /// Bytes that replace the source's bytes at an offset.
  struct Patch: Hashable, Sendable {
    var offset: Int64
    var bytes: [UInt8]
  }

  private let source: any ByteSource
  private let patches: [Patch]

  init(_ source: any ByteSource, patches: [Patch]) {
    self.source = source
    self.patches = patches
  }

  var size: Int64 { source.size }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try source.read(at: offset, into: buffer)
    let read = offset..<offset + Int64(count)
    for patch in patches {
      let place = patch.offset..<patch.offset + Int64(patch.bytes.count)
      for position in place.clamped(to: read) {
        buffer[Int(position - offset)] = patch.bytes[Int(position - patch.offset)]
      }
    }
    return count
  }
}
