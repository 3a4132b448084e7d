import CPango
import Timeline

/// Text in lines, as Pango lays it out.
final class TextLayout {
  private let layout: OpaquePointer
  private let fonts: FontCatalogue
  private let text: TextContent
  /// Pixels of the picture a pixel of the layer's space.
  private let scale: Double

  /// The greatest size of letters in pixels of a picture: Pango lays out none that are several times larger.
  static let largestSize = 4000.0
  /// The greatest size of letters that glyphs and outlines are asked for, in pixels of a picture: of 2000, cairo draws
  /// nothing.
  private static let largestGlyphs = 1500.0

  /// Text whose lines are wrapped in `width` pixels of the layer's space, where there is one.
  ///
  /// - Throws: ``TypesettingError`` for a font that is not installed, or that lacks letters which no other has.
  init(
    _ text: TextContent, width: Double?, scale: Double, fonts: FontCatalogue
  ) throws(TypesettingError) {
    try fonts.check(text.font.family)
    guard let layout = pango_layout_new(fonts.context) else {
      throw TypesettingError("the text cannot be laid out")
    }
    self.layout = layout
    self.fonts = fonts
    self.text = text
    self.scale = scale
    let measure = try Canvas(width: 1, height: 1)
    prepare(measure, scale: scale)
    let font = pango_font_description_new()
    defer { pango_font_description_free(font) }
    pango_font_description_set_family(font, text.font.family)
    pango_font_description_set_weight(font, PangoWeight(UInt32(text.font.weight)))
    let style =
      switch text.font.style {
      case .normal: PANGO_STYLE_NORMAL
      case .italic: PANGO_STYLE_ITALIC
      case .oblique: PANGO_STYLE_OBLIQUE
      }
    pango_font_description_set_style(font, style)
    pango_font_description_set_absolute_size(font, text.font.size * Double(sheaf_pango_scale))
    pango_layout_set_font_description(layout, font)
    pango_layout_set_text(layout, text.text, -1)
    if let width {
      pango_layout_set_width(layout, Int32(clamping: Int(width * Double(sheaf_pango_scale))))
      pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
    }
    align()
    pango_layout_context_changed(layout)
    guard pango_layout_get_unknown_glyphs_count(layout) == 0 else {
      throw TypesettingError(
        "neither \"\(text.font.family)\" nor any other installed font has these letters of the text: "
          + MissingLetters(in: layout).description, key: ".text",
        remedy: "install a font that has them where the project is planned, or leave them out")
    }
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

  /// Pango's left is where lines begin: on the right for text that runs to the left.
  private func align() {
    let runsLeft = pango_layout_get_direction(layout, 0) == PANGO_DIRECTION_RTL
    let (begin, end) = (PANGO_ALIGN_LEFT, PANGO_ALIGN_RIGHT)
    let alignment =
      switch text.alignment {
      case .natural, .justified: begin
      case .left: runsLeft ? end : begin
      case .right: runsLeft ? begin : end
      case .center: PANGO_ALIGN_CENTER
      }
    pango_layout_set_alignment(layout, alignment)
    pango_layout_set_justify(layout, text.alignment == .justified ? 1 : 0)
  }

  /// Sets a scale on a picture that is to be drawn on.
  private func prepare(_ canvas: Canvas, scale: Double) {
    cairo_scale(canvas.context, scale, scale)
    pango_cairo_update_context(canvas.context, fonts.context)
    pango_layout_context_changed(layout)
  }

  private func rect(_ rect: PangoRectangle) -> PixelRect {
    let unit = Double(sheaf_pango_scale)
    return PixelRect(
      x: Double(rect.x) / unit, y: Double(rect.y) / unit, width: Double(rect.width) / unit,
      height: Double(rect.height) / unit)
  }

  /// The lines' size, in even whole pixels of the layer's space, so that its middle is a whole pixel.
  var size: (width: Double, height: Double) {
    var (ink, logical) = (PangoRectangle(), PangoRectangle())
    pango_layout_get_extents(layout, &ink, &logical)
    let lines = rect(logical)
    func even(_ length: Double) -> Double { max((length / 2).rounded(.up) * 2, 2) }
    return (even(lines.width), even(lines.height))
  }

  /// Where anything shows, in the layer's space from the first line's top left.
  var ink: PixelRect {
    var (ink, logical) = (PangoRectangle(), PangoRectangle())
    pango_layout_get_extents(layout, &ink, &logical)
    let letters = rect(ink).grown(by: (text.outline?.width ?? 0) + 1)
    guard let shadow = text.shadow else { return letters }
    var far = letters.grown(by: shadow.radius * 1.5 + 1)
    far.x += shadow.offset.x
    far.y += shadow.offset.y
    return letters.union(far)
  }

  /// Draws the text with its first line's top left at a point of a picture, in the picture's pixels.
  func draw(on canvas: Canvas, x: Double, y: Double) throws(TypesettingError) {
    if let shadow = text.shadow, shadow.opacity > 0 {
      let deviation = shadow.radius / 2 * scale
      let reduction = MaskBlur.reduction(for: deviation)
      let letters = try Canvas(width: canvas.width, height: canvas.height, isMask: true)
      try drawLetters(
        on: letters, x: x + shadow.offset.x * scale, y: y + shadow.offset.y * scale)
      let mask = reduction == 1 ? letters : try letters.reduced(by: reduction)
      MaskBlur.blur(mask, deviation: deviation / Double(reduction))
      canvas.setColor(shadow.color, opacity: shadow.opacity)
      mask.mask(on: canvas, enlarged: Double(reduction))
    }
    try drawLetters(on: canvas, x: x, y: y)
  }

  private func drawLetters(on canvas: Canvas, x: Double, y: Double) throws(TypesettingError) {
    cairo_save(canvas.context)
    defer { cairo_restore(canvas.context) }
    cairo_translate(canvas.context, x, y)
    prepare(canvas, scale: scale)
    if let outline = text.outline {
      canvas.setColor(outline.color)
      setPath(on: canvas)
      cairo_set_line_join(canvas.context, CAIRO_LINE_JOIN_ROUND)
      cairo_set_line_width(canvas.context, outline.width * 2)
      cairo_stroke(canvas.context)
    }
    canvas.setColor(text.color)
    if text.font.size * scale > Self.largestGlyphs {
      setPath(on: canvas)
      cairo_fill(canvas.context)
      try drawPictures(on: canvas, x: x, y: y)
    } else {
      cairo_move_to(canvas.context, 0, 0)
      pango_cairo_show_layout(canvas.context, layout)
    }
  }

  /// Draws the letters that are pictures in their fonts, as emoji are, and have no outlines: at a size at which cairo draws
  /// them, and from there enlarged.
  private func drawPictures(on canvas: Canvas, x: Double, y: Double) throws(TypesettingError) {
    let pictures = pictures()
    guard !pictures.isEmpty else { return }
    let reduction = Self.largestGlyphs / (text.font.size * scale)
    let small = try Canvas(
      width: Int((Double(canvas.width) * reduction).rounded(.up)),
      height: Int((Double(canvas.height) * reduction).rounded(.up)))
    cairo_scale(small.context, reduction, reduction)
    cairo_translate(small.context, x, y)
    prepare(small, scale: scale)
    let unit = Double(sheaf_pango_scale)
    for picture in pictures {
      cairo_move_to(small.context, Double(picture.x) / unit, Double(picture.baseline) / unit)
      pango_cairo_show_glyph_string(small.context, picture.font, picture.glyphs)
    }
    cairo_save(canvas.context)
    cairo_identity_matrix(canvas.context)
    cairo_scale(canvas.context, 1 / reduction, 1 / reduction)
    small.paint(on: canvas)
    cairo_restore(canvas.context)
  }

  /// The letters that are pictures, run by run.
  private func pictures() -> [PictureGlyphs] {
    guard let runs = pango_layout_get_iter(layout) else { return [] }
    defer { pango_layout_iter_free(runs) }
    var pictures: [PictureGlyphs] = []
    repeat {
      if let run = pango_layout_iter_get_run_readonly(runs) {
        var area = PangoRectangle()
        pango_layout_iter_get_run_extents(runs, nil, &area)
        let baseline = pango_layout_iter_get_baseline(runs)
        if let glyphs = PictureGlyphs(of: run, x: area.x, baseline: baseline) {
          pictures.append(glyphs)
        }
      }
    } while pango_layout_iter_next_run(runs) != 0
    return pictures
  }

  /// Makes the letters' outlines, found at a size at which cairo has some, the path of a picture.
  private func setPath(on canvas: Canvas) {
    cairo_save(canvas.context)
    prepare(canvas, scale: min(Self.largestGlyphs / (text.font.size * scale), 1))
    cairo_new_path(canvas.context)
    cairo_move_to(canvas.context, 0, 0)
    pango_cairo_layout_path(canvas.context, layout)
    let path = cairo_copy_path(canvas.context)
    cairo_restore(canvas.context)
    cairo_new_path(canvas.context)
    cairo_append_path(canvas.context, path)
    cairo_path_destroy(path)
  }
}

extension Canvas {
  /// Draws with a color from here on.
  func setColor(_ color: Color, opacity: Double = 1) {
    cairo_set_source_rgba(
      context, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255,
      opacity)
  }
}

extension PixelRect {
  fileprivate func grown(by margin: Double) -> PixelRect {
    PixelRect(
      x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
  }

  fileprivate func union(_ other: PixelRect) -> PixelRect {
    let (left, top) = (min(x, other.x), min(y, other.y))
    return PixelRect(
      x: left, y: top, width: max(x + width, other.x + other.width) - left,
      height: max(y + height, other.y + other.height) - top)
  }
}
