import Planning
import ProjectFormat
import Timeline

extension LayerTypesetter {
  /// Draws the glyphs of a timecode side by side, at a lower scale if they exceed the size limits.
  func raster(of timecode: TimecodeContent, _ request: RasterRequest) throws
    -> LayerRaster
  {
    let rate = timecode.frameRate ?? RationalTime(30)
    guard let clock = TimecodeClock(frameRate: rate, dropsFrames: timecode.dropsFrames) else {
      throw TypesettingError(
        "a timecode cannot run at \(rate) frames per second", key: "frameRate")
    }
    func layouts(_ scale: Double) throws -> [TextLayout] {
      try TimecodeClock.glyphs.map {
        try TextLayout(
          TextContent(String($0), font: timecode.font, color: timecode.color), width: nil,
          scale: scale, fonts: fonts())
      }
    }
    func cell(of glyphs: [TextLayout]) -> (width: Double, height: Double) {
      (glyphs.map(\.size.width).max() ?? 2, glyphs.map(\.size.height).max() ?? 2)
    }
    var scale = min(request.scale, TextLayout.largestSize / timecode.font.size)
    var glyphs = try layouts(scale)
    var (widest, height) = cell(of: glyphs)
    let strip = PixelRect(x: 0, y: 0, width: widest * Double(glyphs.count), height: height)
    let drawn = self.scale(scale, for: strip)
    if drawn < scale {
      scale = drawn
      glyphs = try layouts(scale)
      (widest, height) = cell(of: glyphs)
    }
    let cell = (
      width: Int((widest * scale).rounded(.up)), height: Int((height * scale).rounded(.up))
    )
    let canvas = try Canvas(width: cell.width * glyphs.count, height: cell.height)
    for (number, glyph) in glyphs.enumerated() {
      let margin = (Double(cell.width) - glyph.size.width * scale) / 2
      try glyph.draw(on: canvas, x: Double(number * cell.width) + margin.rounded(), y: 0)
    }
    let (x, y) = (request.bounds?.x ?? 0, request.bounds?.y ?? 0)
    let area = PixelRect(
      x: x, y: y, width: Double(canvas.width) / scale, height: Double(canvas.height) / scale)
    let bounds =
      request.bounds
      ?? PixelRect(
        x: 0, y: 0, width: Double(clock.length * cell.width) / scale, height: area.height)
    return LayerRaster(
      path: request.path, bounds: bounds, tiles: [try write(canvas, area: area)])
  }
}
