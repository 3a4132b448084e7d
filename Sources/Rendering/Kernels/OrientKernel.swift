/// How a picture is turned onto the output: exchanged across its diagonal first, then mirrored.
package struct PlaneOrientation: Hashable, Sendable {
  /// Whether rows become columns.
  package var transposes: Bool
  /// Whether the outcome is mirrored left to right.
  package var mirrorsColumns: Bool
  /// Whether the outcome is mirrored top to bottom.
  package var mirrorsRows: Bool

  /// The picture as it is.
  package static let identity = PlaneOrientation(
    transposes: false, mirrorsColumns: false, mirrorsRows: false)

  /// An orientation from its three steps.
  package init(transposes: Bool, mirrorsColumns: Bool, mirrorsRows: Bool) {
    self.transposes = transposes
    self.mirrorsColumns = mirrorsColumns
    self.mirrorsRows = mirrorsRows
  }
}

/// Turns and mirrors planes by quarter turns, sample for sample.
package enum OrientKernel {
  /// The side of the square blocks in which rows are exchanged with columns: both sides stay in the nearest cache.
  private static let block = 32

  /// Writes the turned `source` to `destination`.
  ///
  /// Where the destination has a column (or row) more than the source, which is how pictures of odd size keep their
  /// chroma aligned when they are mirrored, the source's last column (or row) is repeated.
  package static func orient(
    _ source: SamplePlane, to destination: SamplePlane, by turn: PlaneOrientation
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

  private static func transpose(
    _ source: SamplePlane, to destination: SamplePlane, _ turn: PlaneOrientation
  ) {
    for top in stride(from: 0, to: destination.height, by: block) {
      for left in stride(from: 0, to: destination.width, by: block) {
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
  }
}
