import Media

/// How a picture is turned: transposed first, then mirrored.
package struct PlaneOrientation: Hashable, Sendable {
  /// Whether rows become columns.
  package var transposes: Bool
  /// Whether the result is mirrored left to right.
  package var mirrorsColumns: Bool
  /// Whether the result is mirrored top to bottom.
  package var mirrorsRows: Bool

  /// The orientation that leaves a picture unchanged.
  package static let identity = PlaneOrientation(
    transposes: false, mirrorsColumns: false, mirrorsRows: false)

  /// Creates an orientation from its three steps.
  package init(transposes: Bool, mirrorsColumns: Bool, mirrorsRows: Bool) {
    self.transposes = transposes
    self.mirrorsColumns = mirrorsColumns
    self.mirrorsRows = mirrorsRows
  }
}

extension PlaneOrientation {
  /// The chroma location before the picture is turned that makes chroma left-sited afterwards: at the top if the top
  /// moves to the left, or at the right if the right does.
  var chromaBefore: ChromaSite {
    let edge = mirrorsColumns ? 256 : 0
    return transposes ? ChromaSite(across: 128, down: edge) : ChromaSite(across: edge, down: 128)
  }
}

/// Turns and mirrors planes by quarter turns, sample for sample.
package enum OrientKernel {
  /// The side of the square blocks in which rows are exchanged with columns.
  private static let block = 8

  /// Writes the turned `source` to `destination`.
  ///
  /// If the destination has one more column (or row) than the source, the source's last column (or row) is repeated.
  /// This keeps chroma aligned when pictures of odd size are mirrored.
  package static func orient<Sample: PictureSample>(
    _ source: SamplePlane<Sample>, to destination: SamplePlane<Sample>, by turn: PlaneOrientation
  ) {
    if turn.transposes {
      transpose(source, to: destination, turn)
      return
    }
    for y in 0..<destination.height {
      let wanted = turn.mirrorsRows ? destination.height - 1 - y : y
      let from = source.row(min(wanted, source.height - 1))
      let to = destination.row(y)
      let width = min(destination.width, source.width)
      if turn.mirrorsColumns {
        let last = destination.width - 1
        for x in 0..<width { to[last &- x] = from[x] }
        if destination.width > width { to[0] = from[width - 1] }
      } else {
        to.update(from: from, count: width)
        if destination.width > width { to[width] = from[width - 1] }
      }
    }
  }

  private static func transpose<Sample: PictureSample>(
    _ source: SamplePlane<Sample>, to destination: SamplePlane<Sample>, _ turn: PlaneOrientation
  ) {
    for top in stride(from: 0, to: destination.height, by: block) {
      for left in stride(from: 0, to: destination.width, by: block) {
        // The block in the source: its columns are the destination's rows.
        let column = turn.mirrorsRows ? destination.height - top - block : top
        let row = turn.mirrorsColumns ? destination.width - left - block : left
        if Sample.bitDepth == 8, column >= 0, row >= 0, column + block <= source.width,
          row + block <= source.height,
          top + block <= destination.height, left + block <= destination.width
        {
          transposeBlock(source, column, row, to: destination, left, top, turn)
        } else {
          transposeEdge(source, to: destination, left, top, turn)
        }
      }
    }
  }

  /// Exchanges the rows and columns of 8 × 8 bytes held in eight 64-bit words: blocks of 4 × 4, of 2 × 2, then single
  /// samples are exchanged across the diagonal (Warren, Hacker's Delight, section 7-3).
  private static func transposeBlock<Sample: PictureSample>(
    _ source: SamplePlane<Sample>, _ column: Int, _ row: Int,
    to destination: SamplePlane<Sample>, _ left: Int, _ top: Int, _ turn: PlaneOrientation
  ) {
    func load(_ line: Int) -> UInt64 {
      let number = turn.mirrorsColumns ? row + block - 1 - line : row + line
      let bytes = UnsafeRawPointer(source.row(number) + column)
      return UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    }
    func exchange(_ a: inout UInt64, _ b: inout UInt64, _ shift: UInt64, _ mask: UInt64) {
      let difference = ((a &>> shift) ^ b) & mask
      b ^= difference
      a ^= difference &<< shift
    }
    func store(_ word: UInt64, _ line: Int) {
      let number = turn.mirrorsRows ? top + block - 1 - line : top + line
      UnsafeMutableRawPointer(destination.row(number) + left)
        .storeBytes(of: word.littleEndian, as: UInt64.self)
    }
    var (w0, w1, w2, w3) = (load(0), load(1), load(2), load(3))
    var (w4, w5, w6, w7) = (load(4), load(5), load(6), load(7))
    let (fours, twos, ones): (UInt64, UInt64, UInt64) = (
      0x0000_0000_FFFF_FFFF, 0x0000_FFFF_0000_FFFF, 0x00FF_00FF_00FF_00FF
    )
    exchange(&w0, &w4, 32, fours)
    exchange(&w1, &w5, 32, fours)
    exchange(&w2, &w6, 32, fours)
    exchange(&w3, &w7, 32, fours)
    exchange(&w0, &w2, 16, twos)
    exchange(&w1, &w3, 16, twos)
    exchange(&w4, &w6, 16, twos)
    exchange(&w5, &w7, 16, twos)
    exchange(&w0, &w1, 8, ones)
    exchange(&w2, &w3, 8, ones)
    exchange(&w4, &w5, 8, ones)
    exchange(&w6, &w7, 8, ones)
    store(w0, 0)
    store(w1, 1)
    store(w2, 2)
    store(w3, 3)
    store(w4, 4)
    store(w5, 5)
    store(w6, 6)
    store(w7, 7)
  }

  /// Transposes the rest at the edges, or samples that are not bytes, one by one.
  private static func transposeEdge<Sample: PictureSample>(
    _ source: SamplePlane<Sample>, to destination: SamplePlane<Sample>, _ left: Int,
    _ top: Int, _ turn: PlaneOrientation
  ) {
    for y in top..<min(top + block, destination.height) {
      let wanted = turn.mirrorsRows ? destination.height - 1 - y : y
      let column = source.base + min(wanted, source.width - 1)
      let to = destination.row(y)
      for x in left..<min(left + block, destination.width) {
        let row = turn.mirrorsColumns ? destination.width - 1 - x : x
        to[x] = column[min(row, source.height - 1) * source.stride]
      }
    }
  }
}
