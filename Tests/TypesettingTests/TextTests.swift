import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// Text is drawn as Pango lays it out, with the requested font or not at all.
@Suite(.mayBlock) struct TextTests {
  private static let font = LayerFont(family: "DejaVu Sans", size: 40)
  private static let red = Color(red: 255, green: 0, blue: 0)

  @Test func `text has its color and its natural size`() throws {
    let layer = try TypesetLayer(.text(TextContent("HHH", font: Self.font, color: Self.red)))
    #expect(layer.count(of: Self.red) > 200)
    let bounds = layer.raster.bounds
    #expect(bounds.x == 0 && bounds.y == 0 && bounds.height > 40 && bounds.height < 60)
    #expect(bounds.width.truncatingRemainder(dividingBy: 2) == 0)
  }

  @Test func `a bolder weight covers more`() throws {
    var bold = Self.font
    bold.weight = 700
    let regular = try TypesetLayer(.text(TextContent("Hamburg", font: Self.font)))
    let heavy = try TypesetLayer(.text(TextContent("Hamburg", font: bold)))
    #expect(heavy.coverage > regular.coverage * 1.2)
  }

  @Test func `tracking adds space between letters`() throws {
    var spaced = Self.font
    spaced.tracking = 10
    let plain = try TypesetLayer(.text(TextContent("HHH", font: Self.font)))
    let wide = try TypesetLayer(.text(TextContent("HHH", font: spaced)))
    // Three letters have two gaps.
    #expect(abs(wide.raster.bounds.width - plain.raster.bounds.width - 20) <= 2)
    #expect(abs(wide.coverage - plain.coverage) < plain.coverage * 0.02)
  }

  @Test func `a plate follows the lines, with its padding and its opacity`() throws {
    let plate = TextPlate(
      color: Color(red: 0, green: 0, blue: 255), opacity: 0.5, padding: LayerPoint(x: 20, y: 10))
    let plain = try TypesetLayer(.text(TextContent("HHH", font: Self.font)))
    let layer = try TypesetLayer(
      .text(TextContent("HHH", font: Self.font, color: Self.red, plate: plate)))
    #expect(layer.raster.bounds == plain.raster.bounds)
    let columns = try #require(layer.columns)
    let width = Int(layer.raster.bounds.width)
    #expect(columns.lowerBound == -20 && abs(columns.upperBound - (width + 19)) <= 2)
    #expect(layer.pixel(-10, 20) == [0, 0, 255, 128] || layer.pixel(-10, 20) == [0, 0, 255, 127])
    #expect(layer.pixel(-10, -12)[3] == 0)
    #expect(layer.count(of: Self.red) > 200)
  }

  @Test func `the corners of a plate are round`() throws {
    let plate = TextPlate(
      color: Self.red, padding: LayerPoint(x: 20, y: 10), cornerRadius: 15)
    let layer = try TypesetLayer(.text(TextContent("HHH", font: Self.font, plate: plate)))
    #expect(layer.pixel(-20, -10)[3] == 0)
    #expect(layer.pixel(-6, 4) == [255, 0, 0, 255])
  }

  @Test(arguments: [50, 400, 1e6])
  func `letters of the largest size are complete`(scale: Double) throws {
    let text = LayerContent.text(TextContent("i", font: Self.font))
    let edges = try [20, scale].map { scale in
      let areas = try TypesetLayer(text, scale: scale).raster.tiles.map(\.area)
      return [
        try #require(areas.map(\.x).min()), try #require(areas.map(\.y).min()),
        try #require(areas.map { $0.x + $0.width }.max()),
        try #require(areas.map { $0.y + $0.height }.max()),
      ]
    }
    #expect(zip(edges[0], edges[1]).allSatisfy { abs($0 - $1) < 0.3 })
  }

  @Test func `text wraps at the width of its bounds`() throws {
    let text = TextContent("one two three four five six", font: Self.font)
    let bounds = PixelRect(x: 10, y: 0, width: 200, height: 400)
    let layer = try TypesetLayer(.text(text), bounds: bounds)
    let columns = try #require(layer.columns)
    #expect(columns.lowerBound >= 10 && columns.upperBound < 211)
    #expect(layer.raster.bounds == bounds)
  }

  @Test(arguments: [
    (TextContent.Alignment.left, 0.0...20.0), (.center, 180.0...220.0), (.right, 370.0...400.0),
    (.natural, 0.0...20.0),
  ])
  func `a line is aligned within the bounds`(
    alignment: TextContent.Alignment, middle: ClosedRange<Double>
  ) throws {
    let text = TextContent("I", font: Self.font, alignment: alignment)
    let layer = try TypesetLayer(
      .text(text), bounds: PixelRect(x: 0, y: 0, width: 400, height: 60))
    let columns = try #require(layer.columns)
    #expect(middle.contains(Double(columns.lowerBound + columns.upperBound) / 2))
  }

  @Test(arguments: [
    (TextContent.Alignment.natural, 300...400), (.left, 0...100), (.right, 300...400),
  ])
  func `right-to-left text begins at the right`(
    alignment: TextContent.Alignment, range: ClosedRange<Int>
  ) throws {
    let text = TextContent("שלום", font: Self.font, alignment: alignment)
    let layer = try TypesetLayer(
      .text(text), bounds: PixelRect(x: 0, y: 0, width: 400, height: 60))
    let columns = try #require(layer.columns)
    #expect(range.contains(columns.lowerBound) || range.contains(columns.upperBound))
    #expect(columns.count < 150)
  }

  @Test func `an outline surrounds the letters in its color`() throws {
    let blue = Color(red: 0, green: 0, blue: 255)
    let text = TextContent(
      "H", font: Self.font, color: Self.red, outline: TextOutline(color: blue, width: 4))
    let layer = try TypesetLayer(.text(text))
    let plain = try TypesetLayer(.text(TextContent("H", font: Self.font, color: Self.red)))
    #expect(layer.count(of: blue) > 100)
    #expect(layer.count(of: Self.red) == plain.count(of: Self.red))
    let (outer, inner) = (try #require(layer.columns), try #require(plain.columns))
    #expect((3...5).contains(inner.lowerBound - outer.lowerBound))
  }

  @Test func `a shadow is behind the text, offset and blurred`() throws {
    let shadow = LayerShadow(
      color: .black, opacity: 0.5, offset: LayerPoint(x: 30, y: 0), radius: 0)
    let text = TextContent("I", font: Self.font, color: Self.red, shadow: shadow)
    let layer = try TypesetLayer(.text(text))
    let plain = try TypesetLayer(.text(TextContent("I", font: Self.font, color: Self.red)))
    let column = try #require(plain.columns.map { ($0.lowerBound + $0.upperBound) / 2 })
    #expect(layer.pixel(column, 30) == [255, 0, 0, 255])
    let below = layer.pixel(column + 30, 30)
    #expect(below[0] == 0 && abs(Int(below[3]) - 128) <= 1)
    var soft = text
    soft.shadow?.radius = 8
    let blurred = try TypesetLayer(.text(soft))
    #expect((1..<128).contains(blurred.pixel(column + 30, 30)[3]))
    #expect(abs(blurred.coverage - layer.coverage) < layer.coverage * 0.02)
  }

  @Test func `a wide shadow that is blurred in a reduced picture matches one at full size`()
    throws
  {
    var text = TextContent("I", font: LayerFont(family: "DejaVu Sans", weight: 700, size: 400))
    let column = try #require(
      TypesetLayer(.text(text)).columns.map { ($0.lowerBound + $0.upperBound) / 2 })
    let shadow = LayerShadow(
      color: .black, opacity: 1, offset: LayerPoint(x: 300, y: 0), radius: 63.9)
    text.shadow = shadow
    let whole = try TypesetLayer(.text(text))
    text.shadow?.radius = 64
    let reduced = try TypesetLayer(.text(text))
    for x in stride(from: column + 230, through: column + 370, by: 7) {
      for y in stride(from: 100, through: 380, by: 7) {
        #expect(abs(Int(whole.pixel(x, y)[3]) - Int(reduced.pixel(x, y)[3])) <= 2)
      }
    }
    #expect(whole.pixel(column + 300, 230)[3] > 64)
  }

  @Test func `emoji are in color if a font has them`() throws {
    let layer = try TypesetLayer(
      .text(TextContent("😀", font: LayerFont(family: "Noto Color Emoji", size: 64))))
    #expect(layer.coverage > 1000)
    #expect(layer.count(of: TextContent.defaultColor) < 200)
  }

  @Test func `emoji that are too large for Cairo are enlarged`() throws {
    func layer(_ size: Double) throws -> TypesetLayer {
      try TypesetLayer(
        .text(
          TextContent(
            "😀", font: LayerFont(family: "Noto Color Emoji", size: size),
            shadow: LayerShadow(color: .black, opacity: 1, offset: LayerPoint(x: 0, y: 0)))))
    }
    let (small, large) = (try layer(500), try layer(2000))
    #expect(abs(large.coverage / small.coverage / 16 - 1) < 0.02)
    var difference = 0
    var count = 0
    for y in stride(from: 2, to: Int(small.raster.bounds.height), by: 4) {
      for x in stride(from: 2, to: Int(small.raster.bounds.width), by: 4) {
        let (one, other) = (small.pixel(x, y), large.pixel(4 * x + 2, 4 * y + 2))
        for (one, other) in zip(one, other) { difference += abs(Int(one) - Int(other)) }
        count += 4
      }
    }
    #expect(Double(difference) / Double(count) < 3)
  }

  @Test func `the error for a font that is not installed names the closest one`() {
    let text = TextContent("H", font: LayerFont(family: "DejaVu Sand", size: 40))
    let error = #expect(throws: ProjectError.self) { try TypesetLayer(.text(text)) }
    let line = error?.lines.first ?? ""
    #expect(
      line.hasPrefix(
        "videoComposition.animation.layers[0].font.family: the font family \"DejaVu Sand\" is not installed; "
      ))
    #expect(line.contains("\"DejaVu Sans\" is closest"))
  }

  @Test(arguments: [
    ("\u{10FFFD}", "U+10FFFD"), ("a\u{10FFFD}b\u{10FFFC}\nc\u{10FFFD}", "U+10FFFD and U+10FFFC"),
    ("Linear A: \u{10600}", "\"\u{10600}\" (U+10600)"),
    (
      String(String.UnicodeScalarView((0x10FFF0...0x10FFF9).compactMap(Unicode.Scalar.init))),
      "U+10FFF0, U+10FFF1, U+10FFF2, U+10FFF3, U+10FFF4, U+10FFF5, U+10FFF6, U+10FFF7 and 2 more"
    ),
  ])
  func `the error for letters that no font has names the letters, the font and the layer`(
    letters: String, named: String
  ) {
    let text = TextContent(letters, font: Self.font)
    let error = #expect(throws: ProjectError.self) { try TypesetLayer(.text(text)) }
    #expect(error?.findings.first?.path == "videoComposition.animation.layers[0].text")
    #expect(
      error?.findings.first?.problem
        == "neither \"DejaVu Sans\" nor any other installed font has these characters of the text: \(named)"
    )
  }

  @Test func `the same text yields the same picture`() throws {
    let text = TextContent("Sheaf", font: Self.font, shadow: LayerShadow())
    let rasters = try (0..<2).map { _ in try TypesetLayer(.text(text), scale: 1.5).raster }
    #expect(rasters[0] == rasters[1])
  }

  @Test func `tall text is split into pictures between its lines`() throws {
    let lines = (0..<60).map { "Line \($0)" }.joined(separator: "\n")
    let layer = try TypesetLayer(.text(TextContent(lines, font: Self.font)))
    #expect(layer.raster.tiles.count > 4)
    #expect(layer.raster.tiles.allSatisfy { $0.stream.size.height <= 500 })
    let whole = layer.raster.tiles.reduce(0.0) { $0 + $1.area.height }
    #expect(whole < layer.raster.bounds.height)
  }

  @Test func `a timecode has twelve glyphs of equal width`() throws {
    let timecode = TimecodeContent(
      frameRate: RationalTime(25), font: LayerFont(family: "DejaVu Sans Mono", size: 30))
    let layer = try TypesetLayer(.timecode(timecode))
    let tile = try #require(layer.raster.tiles.first)
    #expect(tile.stream.size.width.isMultiple(of: 12))
    #expect(layer.raster.bounds.width == tile.area.width / 12 * 11)
  }
  @Test func `a timecode in very large letters is drawn at a lower resolution`() throws {
    let timecode = TimecodeContent(
      frameRate: RationalTime(25), font: LayerFont(family: "DejaVu Sans Mono", size: 4000))
    let layer = try TypesetLayer(.timecode(timecode))
    let tile = try #require(layer.raster.tiles.first)
    let size = tile.stream.size
    #expect(size.width * size.height < 16_200_000 && max(size.width, size.height) < 32_767)
    // In this font, letters are 1233/2048 of their size wide.
    #expect(abs(tile.area.width / (12 * 4000 * 1233 / 2048) - 1) < 0.01)
    #expect(abs(layer.raster.bounds.width - tile.area.width / 12 * 11) < 1e-6)
  }
}
