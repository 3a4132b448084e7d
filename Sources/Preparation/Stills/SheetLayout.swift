import Timeline

/// The places of equally large pictures on a sheet, row by row, with a line of text beneath each.
package struct SheetLayout: Hashable, Codable, Sendable {
  /// The size of the sheet in pixels.
  package let size: PixelSize
  /// The size of each picture.
  package let picture: PixelSize
  /// The number of pictures in a row.
  package let columns: Int
  /// The size of the letters, in pixels.
  package let letters: Double
  /// The space around the pictures.
  private let gap: Int
  /// The space before the first column.
  private let margin: Int
  /// The height of a row, with its text and the gap beneath it.
  private let pitch: Int

  /// The smallest width of a picture.
  package static let leastWidth = 32
  /// The greatest height of a sheet, which is what Cairo supports.
  package static let greatestHeight = 32_000

  /// Lays out a sheet.
  ///
  /// - Parameters:
  ///   - count: the number of pictures, at least 1.
  ///   - columns: the greatest number of pictures in a row, at least 1.
  ///   - width: the width of the sheet.
  ///   - frame: the size of a frame, whose aspect ratio the pictures have.
  /// - Throws: ``SheetError``.
  package init(
    of count: Int, columns: Int, width: Int, showing frame: PixelSize
  ) throws(SheetError) {
    let columns = min(columns, count)
    gap = max(width / 100, 4)
    let pictureWidth = (width - gap * (columns + 1)) / columns
    guard pictureWidth >= Self.leastWidth else { throw .narrow }
    let height = Double(pictureWidth) * Double(frame.height) / Double(frame.width)
    picture = PixelSize(width: pictureWidth, height: max(Int(height.rounded()), 1))
    letters = min(max(Double(pictureWidth) / 14, 8), 22)
    pitch = picture.height + Int((letters * 2).rounded()) + gap / 2
    self.columns = columns
    margin = (width - columns * pictureWidth - (columns - 1) * gap) / 2
    let rows = (count + columns - 1) / columns
    let total = gap + rows * pitch + gap / 2
    guard total <= Self.greatestHeight else { throw .high(total) }
    size = PixelSize(width: width, height: total)
  }

  /// The left and upper edges of a picture.
  package func place(of index: Int) -> (left: Int, top: Int) {
    let (row, column) = index.quotientAndRemainder(dividingBy: columns)
    return (margin + column * (picture.width + gap), gap + row * pitch)
  }

  /// The middle and the upper edge of the line beneath a picture.
  package func label(of index: Int) -> (middle: Double, top: Double) {
    let (left, top) = place(of: index)
    return (
      Double(left) + Double(picture.width) / 2, Double(top + picture.height) + letters / 4
    )
  }
}

/// The reason why a sheet cannot be laid out.
package enum SheetError: Error, Hashable {
  /// The pictures would be narrower than ``SheetLayout/leastWidth``.
  case narrow
  /// The sheet would be this high, more than ``SheetLayout/greatestHeight``.
  case high(Int)
}
