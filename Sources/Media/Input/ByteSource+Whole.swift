extension ByteSource {
  /// Fills the buffer from `offset`, and returns how many bytes there were: fewer only if the source ends before.
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

  /// The first bytes, `limit` of them at most.
  public func bytes(upTo limit: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: Int(min(Int64(limit), size))) { buffer, count in
      count = try fill(UnsafeMutableRawBufferPointer(buffer), from: 0)
    }
  }
}
