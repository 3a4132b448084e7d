/// Finds the parts of a picture that contain something visible.
///
/// A tall picture is cut at rows of clear pixels, so that tiles have no more rows than needed and visible content is
/// not cut.
struct CanvasTiles {
  /// The number of rows from which a picture is cut, if possible.
  private static let rows = 384

  /// The parts, each with a margin of one clear pixel if there is room.
  static func boxes(of canvas: Canvas) -> [PixelBox] {
    let spans =
      canvas.withPixels { pixels, stride in
        (0..<canvas.height).map { row in
          span(of: pixels + row * stride, width: canvas.width)
        }
      } ?? []
    var boxes: [PixelBox] = []
    var row = 0
    while row < canvas.height {
      guard spans[row] != nil else {
        row += 1
        continue
      }
      var end = row + 1
      var cut: Int?
      while end < canvas.height {
        if spans[end] == nil {
          if end - row >= rows, cut != nil { break }
          cut = end
          if end - row >= rows { break }
        }
        end += 1
      }
      // The part ends at the last clear row within reach. The rest belongs to the next part.
      if end < canvas.height || (cut != nil && end - row > 2 * rows) { end = cut ?? end }
      let (left, right) = spans[row..<end].reduce((Int.max, 0)) { edges, span in
        (min(edges.0, span?.lowerBound ?? Int.max), max(edges.1, span?.upperBound ?? 0))
      }
      let (x, y) = (max(left - 1, 0), max(row - 1, 0))
      boxes.append(
        PixelBox(
          left: x, top: y, width: min(right + 1, canvas.width) - x,
          height: min(end + 1, canvas.height) - y))
      row = end
    }
    return boxes
  }

  /// The columns of a row from the first to the last that is not clear.
  private static func span(of row: UnsafeMutablePointer<UInt8>, width: Int) -> Range<Int>? {
    var (first, end) = (0, width)
    // Little-endian ARGB: alpha comes last.
    while first < end, row[first * 4 + 3] == 0 { first += 1 }
    guard first < end else { return nil }
    while row[(end - 1) * 4 + 3] == 0 { end -= 1 }
    return first..<end
  }
}
