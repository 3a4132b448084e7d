import CPango
import Media
import Synchronization
import Timeline

/// A dark sheet on which pictures and lines of text are placed.
public final class SheetPicture {
  private let canvas: Canvas
  private var fonts: FontCatalog?

  /// The color of the sheet, and of its letters.
  private static let colors = (
    sheet: Color(red: 24, green: 26, blue: 30), letters: Color(red: 226, green: 229, blue: 234)
  )

  /// Creates an empty sheet.
  ///
  /// - Throws: ``TypesettingError`` if there is not enough memory.
  public init(size: PixelSize) throws {
    canvas = try Canvas(width: size.width, height: size.height)
    canvas.setColor(Self.colors.sheet)
    canvas.paint()
  }

  /// Copies a picture of the pixel format `rgb24` to a place, where it must fit.
  public func place(_ picture: Frame, left: Int, top: Int) throws {
    guard left >= 0, top >= 0, left + picture.width <= canvas.width,
      top + picture.height <= canvas.height
    else { throw TypesettingError("a picture is outside the sheet") }
    picture.withUnsafePlanes { planes in
      guard let plane = planes.first else { return }
      _ = canvas.withPixels { pixels, stride in
        for row in 0..<picture.height {
          var (from, to) = (
            plane.base + row * plane.stride, pixels + (top + row) * stride + left * 4
          )
          for _ in 0..<picture.width {
            (to[0], to[1], to[2], to[3]) = (from[2], from[1], from[0], 255)
            from += 3
            to += 4
          }
        }
      }
    }
  }

  /// Writes a line of text.
  ///
  /// - Parameters:
  ///   - letters: the size of the letters, in pixels.
  ///   - middle: the middle of the line, in pixels from the left edge.
  ///   - top: the upper edge of the line, in pixels.
  /// - Throws: ``TypesettingError`` if no font is installed.
  public func write(_ text: String, letters: Double, middle: Double, top: Double) throws {
    try Canvas.letters.withLock { _ in
      try draw(text, letters: letters, middle: middle, top: top)
    }
  }

  private func draw(_ text: String, letters: Double, middle: Double, top: Double) throws {
    let catalog = try fonts ?? FontCatalog()
    fonts = catalog
    let line = try TextLayout(
      TextContent(text, font: LayerFont(size: letters), color: Self.colors.letters), width: nil,
      scale: 1, fonts: catalog)
    try line.draw(on: canvas, x: (middle - line.size.width / 2).rounded(), y: top.rounded())
  }

  /// The sheet in the pixel format `rgb24`.
  public func frame() throws -> Frame {
    let frame = try Frame(width: canvas.width, height: canvas.height, pixelFormat: .rgb24)
    try frame.withUnsafeMutablePlanes { planes in
      guard let plane = planes.first else { return }
      _ = canvas.withPixels { pixels, stride in
        for row in 0..<canvas.height {
          var (from, to) = (pixels + row * stride, plane.base + row * plane.stride)
          for _ in 0..<canvas.width {
            (to[0], to[1], to[2]) = (from[2], from[1], from[0])
            from += 4
            to += 3
          }
        }
      }
    }
    return frame
  }
}

extension TypesettingError: CustomStringConvertible {
  /// The problem and its remedy.
  package var description: String { "\(problem): \(remedy)" }
}
