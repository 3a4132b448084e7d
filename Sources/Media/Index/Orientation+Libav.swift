import CFFmpeg
import Timeline

extension Orientation {
  /// The orientation nearest to a display matrix of nine numbers in row order, `a b u c d v x y w`.
  ///
  /// The columns of a picture run along `(a, b)`, its rows along `(c, d)`, y down (ISO 14496-12, 6.2.2).
  init(displayMatrix matrix: [Int32]) {
    let (a, b) = (Int64(matrix[0]), Int64(matrix[1]))
    let (c, d) = (Int64(matrix[3]), Int64(matrix[4]))
    let isMirrored = a * d - b * c < 0
    // Undo the mirroring, which reversed the direction of the columns.
    let (x, y) = isMirrored ? (-a, -b) : (a, b)
    let turns = abs(x) >= abs(y) ? (x >= 0 ? 0 : 2) : (y > 0 ? 1 : 3)
    self.init(quarterTurns: turns, isMirrored: isMirrored)
  }

  /// Records the orientation as the stream's display matrix, unless it is the identity.
  func add(to stream: UnsafeMutablePointer<AVStream>, named name: String) throws(MediaError) {
    guard self != .identity else { return }
    let bytes = 9 * MemoryLayout<Int32>.size
    guard let data = av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, bytes) else {
      throw MediaError(.outOfMemory, "cannot allocate memory", on: name)
    }
    let (cosine, sine): (Int32, Int32) =
      [(1, 0), (0, 1), (-1, 0), (0, -1)][quarterTurns]
    let mirror: Int32 = isMirrored ? -1 : 1
    let (a, b, c, d) = (mirror * cosine, mirror * sine, -sine, cosine)
    // The corner of the turned picture is moved back to the origin.
    let size = (stream.pointee.codecpar.pointee.width, stream.pointee.codecpar.pointee.height)
    let (x, y) = (
      -min(a * size.0, 0) - min(c * size.1, 0), -min(b * size.0, 0) - min(d * size.1, 0)
    )
    // Rows `a b u`, `c d v`, `x y w`: 16.16, the last column 2.30.
    let matrix: [Int32] = [a << 16, b << 16, 0, c << 16, d << 16, 0, x << 16, y << 16, 1 << 30]
    matrix.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(start: data, count: bytes).copyMemory(from: $0)
    }
  }

  /// The orientation of a photograph with an Exif tag, 1 to 8 (Exif 2.3, 4.6.4); `nil` for other tags.
  init?(exif tag: Int) {
    switch tag {
    case 1: self.init(quarterTurns: 0, isMirrored: false)
    case 2: self.init(quarterTurns: 0, isMirrored: true)
    case 3: self.init(quarterTurns: 2, isMirrored: false)
    case 4: self.init(quarterTurns: 2, isMirrored: true)
    case 5: self.init(quarterTurns: 3, isMirrored: true)
    case 6: self.init(quarterTurns: 1, isMirrored: false)
    case 7: self.init(quarterTurns: 1, isMirrored: true)
    case 8: self.init(quarterTurns: 3, isMirrored: false)
    default: return nil
    }
  }
}

extension Frame {
  /// The orientation in a photograph's Exif data, if any.
  var exifOrientation: Orientation? {
    guard let entry = av_dict_get(pointer.pointee.metadata, "Orientation", nil, 0),
      let tag = Int(String(cString: entry.pointee.value).filter { !$0.isWhitespace })
    else { return nil }
    return Orientation(exif: tag)
  }
}
