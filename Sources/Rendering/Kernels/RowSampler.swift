import Media

/// Reads rows of a plane at any position: in place if the row exists unchanged, otherwise from scratch memory.
///
/// Beyond its edges, a plane continues with the sample at the edge.
package final class RowSampler<Sample: PictureSample> {
  private let padded: UnsafeMutablePointer<Sample>
  private let sampled: UnsafeMutablePointer<Sample>
  private let rows: (UnsafeMutablePointer<Int16>, UnsafeMutablePointer<Int16>)
  private var heldRows: (Int?, Int?) = (nil, nil)

  /// Creates a sampler for rows of at most `width` samples.
  package init(width: Int) {
    padded = .allocate(capacity: width + 1)
    sampled = .allocate(capacity: width)
    rows = (.allocate(capacity: width), .allocate(capacity: width))
  }

  deinit {
    padded.deallocate()
    sampled.deallocate()
    rows.0.deallocate()
    rows.1.deallocate()
  }

  /// Calls `body` with the number, from 0, and the samples of each row of a rectangle of a plane.
  ///
  /// The rectangle's top-left sample is at `(x, y)`, in 1/512 of a sample. The rectangle has `count` × `height`
  /// samples, a whole sample apart.
  package func forEachRow(
    of plane: SamplePlane<Sample>, x: Int, y: Int, count: Int, height: Int,
    _ body: (Int, UnsafePointer<Sample>) -> Void
  ) {
    let (column, across) = (x >> 9, x & 511)
    let (firstRow, down) = (y >> 9, y & 511)
    if across == 0 && down == 0 {
      for line in 0..<height {
        body(line, row(of: plane, firstRow + line, from: column, count: count))
      }
      return
    }
    heldRows = (nil, nil)
    for line in 0..<height {
      let upper = interpolated(plane, firstRow + line, column, across, count)
      let lower =
        down == 0 ? upper : interpolated(plane, firstRow + line + 1, column, across, count)
      BilinearKernel.down(upper, lower, fraction: down, to: sampled, count: count)
      body(line, UnsafePointer(sampled))
    }
  }

  /// The horizontally interpolated row. The last two are kept, because the next line begins with this line's lower row.
  private func interpolated(
    _ plane: SamplePlane<Sample>, _ y: Int, _ column: Int, _ across: Int, _ count: Int
  ) -> UnsafePointer<Int16> {
    let number = min(max(y, 0), plane.height - 1)
    if heldRows.0 == number { return UnsafePointer(rows.0) }
    if heldRows.1 == number { return UnsafePointer(rows.1) }
    let older = (heldRows.0 ?? -1) <= (heldRows.1 ?? -1)
    if older { heldRows.0 = number } else { heldRows.1 = number }
    let target = older ? rows.0 : rows.1
    BilinearKernel.across(
      row(of: plane, number, from: column, count: count + 1), fraction: across, to: target,
      count: count)
    return UnsafePointer(target)
  }

  private func row(
    of plane: SamplePlane<Sample>, _ y: Int, from column: Int, count: Int
  ) -> UnsafePointer<Sample> {
    let line = plane.row(min(max(y, 0), plane.height - 1))
    if column >= 0 && column + count <= plane.width { return UnsafePointer(line + column) }
    let left = min(max(-column, 0), count)
    let right = min(max(column + count - plane.width, 0), count)
    if left > 0 { padded.update(repeating: line[0], count: left) }
    if left + right < count {
      (padded + left).update(from: line + max(column, 0), count: count - left - right)
    }
    if right > 0 {
      (padded + count - right).update(repeating: line[plane.width - 1], count: right)
    }
    return UnsafePointer(padded)
  }
}
