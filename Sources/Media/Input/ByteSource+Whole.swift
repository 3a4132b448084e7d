extension ByteSource {
  /// Fills the buffer from `offset`, and returns the number of bytes read, which is smaller only if the source ends
  /// first.
  public func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int64) throws -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try read(at: offset + Int64(done), into: rest)
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// The first bytes, at most `limit`.
  public func bytes(upTo limit: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: Int(min(Int64(limit), size))) { buffer, count in
      count = try fill(UnsafeMutableRawBufferPointer(buffer), from: 0)
    }
  }
}
