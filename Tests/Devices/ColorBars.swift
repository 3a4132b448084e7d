import Capture

/// The color bars of vivid, with 75 % of the intensity: white, yellow, cyan, green, magenta, red, blue and black.
struct ColorBars {
  /// The bars in 8 bits: Y, Cb and Cr of BT.601 with limited range (ITU-R BT.1729), and red, green and blue.
  private static let luma = [180, 162, 131, 112, 84, 65, 35, 16]
  private static let blueness = [128, 44, 156, 72, 184, 100, 212, 128]
  private static let redness = [128, 142, 44, 58, 198, 212, 114, 128]
  private static let red = [191, 191, 0, 0, 191, 191, 0, 0]
  private static let green = [191, 191, 191, 191, 0, 0, 0, 0]
  private static let blue = [191, 0, 191, 0, 191, 0, 191, 0]
  /// How much a sample may differ.
  private static let tolerance = 3

  let layout: RawLayout
  let format: CapturedVideoFormat

  /// Requires the bars in the lower half of a picture, where no text is.
  func check(_ bytes: UnsafeRawBufferPointer) throws {
    for bar in 0..<8 {
      let x = (2 * bar + 1) * format.width / 16 / 2 * 2
      let y = format.height * 3 / 4 / 2 * 2
      let found = samples(bytes, x, y)
      let expected = expected(bar)
      for (one, other) in zip(found, expected) {
        try Check.require(
          abs(one - other) <= Self.tolerance, "bar \(bar) is \(found), not \(expected)")
      }
    }
  }

  private func expected(_ bar: Int) -> [Int] {
    switch layout {
    case .rgb24, .bgr24, .bgr0, .rgb0: [Self.red[bar], Self.green[bar], Self.blue[bar]]
    // With the coefficients of BT.709.
    case .gray: [(2126 * Self.red[bar] + 7152 * Self.green[bar] + 722 * Self.blue[bar]) / 10_000]
    default: [Self.luma[bar], Self.blueness[bar], Self.redness[bar]]
    }
  }

  /// The samples of a pixel with even coordinates.
  private func samples(_ bytes: UnsafeRawBufferPointer, _ x: Int, _ y: Int) -> [Int] {
    let (line, height) = (format.bytesPerLine, format.height)
    func at(_ offsets: Int...) -> [Int] { offsets.map { Int(bytes[$0]) } }
    let pixel = y * line + x
    switch layout {
    case .nv12:
      return at(pixel, line * height + y / 2 * line + x, line * height + y / 2 * line + x + 1)
    case .nv21:
      return at(pixel, line * height + y / 2 * line + x + 1, line * height + y / 2 * line + x)
    case .nv16: return at(pixel, line * height + pixel, line * height + pixel + 1)
    case .yuv420p:
      let (chroma, size) = (line * height + y / 2 * (line / 2) + x / 2, line / 2 * (height / 2))
      return at(pixel, chroma, chroma + size)
    case .yuv422p:
      let (chroma, size) = (line * height + y * (line / 2) + x / 2, line / 2 * height)
      return at(pixel, chroma, chroma + size)
    case .yuyv422:
      let pair = y * line + 2 * x
      return at(pair, pair + 1, pair + 3)
    case .yvyu422:
      let pair = y * line + 2 * x
      return at(pair, pair + 3, pair + 1)
    case .uyvy422:
      let pair = y * line + 2 * x
      return at(pair + 1, pair, pair + 2)
    case .p010le:
      let chroma = line * height + y / 2 * line + 2 * x
      return at(y * line + 2 * x + 1, chroma + 1, chroma + 3)
    case .gray: return at(pixel)
    case .rgb24: return at(y * line + 3 * x, y * line + 3 * x + 1, y * line + 3 * x + 2)
    case .bgr24: return at(y * line + 3 * x + 2, y * line + 3 * x + 1, y * line + 3 * x)
    case .rgb0: return at(y * line + 4 * x, y * line + 4 * x + 1, y * line + 4 * x + 2)
    case .bgr0: return at(y * line + 4 * x + 2, y * line + 4 * x + 1, y * line + 4 * x)
    }
  }
}
