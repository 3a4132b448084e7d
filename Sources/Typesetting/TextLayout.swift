import CPango
import ProjectFormat
import Timeline

/// Text that Pango lays out in lines.
final class TextLayout {
  private let layout: OpaquePointer
  private let fonts: FontCatalog
  private let text: TextContent
  /// Pixels of the picture per pixel of the layer's space.
  private let scale: Double

  /// The largest size of letters in pixels of a picture. Pango does not lay out letters several times larger.
  static let largestSize = 4000.0
  /// The largest size at which glyphs and outlines are requested, in pixels of a picture. At 2000, Cairo draws nothing.
  private static let largestGlyphs = 1500.0

  /// Lays out text. Lines wrap at `width`, in pixels of the layer's space, if it is given.
  ///
  /// - Throws: ``TypesettingError`` for a font that is not installed, or for letters that no font has.
  init(
    _ text: TextContent, width: Double?, scale: Double, fonts: FontCatalog
  ) throws(TypesettingError) {
    try fonts.check(text.font.family)
    guard let layout = pango_layout_new(fonts.context) else {
      throw TypesettingError("cannot lay out the text")
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
    if text.font.tracking != 0 { setTracking() }
    if let width {
      pango_layout_set_width(layout, Int32(clamping: Int(width * Double(sheaf_pango_scale))))
      pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
    }
    align()
    pango_layout_context_changed(layout)
    guard pango_layout_get_unknown_glyphs_count(layout) == 0 else {
      throw TypesettingError(
        "neither \"\(text.font.family)\" nor any other installed font has these characters of the text: "
          + MissingLetters(in: layout).description, key: "text",
        remedy: "install a font that has them on the machine that plans the project, "
          + "or remove them")
    }
  }

  /// Adds space between letters. Pango adds half of it before and half of it after each letter.
  private func setTracking() {
    guard let attributes = pango_attr_list_new() else { return }
    defer { pango_attr_list_unref(attributes) }
    let units = (text.font.tracking * Double(sheaf_pango_scale)).rounded()
    pango_attr_list_insert(attributes, pango_attr_letter_spacing_new(Int32(clamping: Int(units))))
    pango_layout_set_attributes(layout, attributes)
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

  /// Pango's left is the side where lines begin, which is the right for text that runs to the left.
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

  /// Sets the scale of a picture before drawing on it.
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

  /// The size of the lines, in even whole pixels of the layer's space, so that the middle is a whole pixel.
  var size: (width: Double, height: Double) {
    var (ink, logical) = (PangoRectangle(), PangoRectangle())
    pango_layout_get_extents(layout, &ink, &logical)
    let lines = rect(logical)
    func even(_ length: Double) -> Double { max((length / 2).rounded(.up) * 2, 2) }
    return (even(lines.width), even(lines.height))
  }

  /// The area that the text may cover, in the layer's space, relative to the first line's top left.
  var ink: PixelRect {
    var (ink, logical) = (PangoRectangle(), PangoRectangle())
    pango_layout_get_extents(layout, &ink, &logical)
    var letters = rect(ink).grown(by: (text.outline?.width ?? 0) + 1)
    if let plate = text.plate { letters = letters.union(area(of: plate).grown(by: 1)) }
    guard let shadow = text.shadow else { return letters }
    var far = letters.grown(by: shadow.radius * 1.5 + 1)
    far.x += shadow.offset.x
    far.y += shadow.offset.y
    return letters.union(far)
  }

  /// The area of the plate, in the layer's space.
  private func area(of plate: TextPlate) -> PixelRect {
    var (ink, logical) = (PangoRectangle(), PangoRectangle())
    pango_layout_get_extents(layout, &ink, &logical)
    let lines = rect(logical)
    return PixelRect(
      x: lines.x - plate.padding.x, y: lines.y - plate.padding.y,
      width: lines.width + 2 * plate.padding.x, height: lines.height + 2 * plate.padding.y)
  }

  /// Draws the plate with its edges on whole pixels of the picture.
  private func draw(_ plate: TextPlate, on canvas: Canvas, x: Double, y: Double) {
    let area = area(of: plate)
    let (left, top) = ((x + area.x * scale).rounded(), (y + area.y * scale).rounded())
    let right = (x + (area.x + area.width) * scale).rounded()
    let bottom = (y + (area.y + area.height) * scale).rounded()
    let radius = min(plate.cornerRadius * scale, (right - left) / 2, (bottom - top) / 2)
    let context = canvas.context
    canvas.setColor(plate.color, opacity: plate.opacity)
    cairo_new_path(context)
    if radius > 0 {
      let quarter = Double.pi / 2
      let corners = [
        (right - radius, top + radius), (right - radius, bottom - radius),
        (left + radius, bottom - radius), (left + radius, top + radius),
      ]
      for (number, corner) in corners.enumerated() {
        let start = Double(number - 1) * quarter
        cairo_arc(context, corner.0, corner.1, radius, start, start + quarter)
      }
      cairo_close_path(context)
    } else {
      cairo_rectangle(context, left, top, right - left, bottom - top)
    }
    cairo_fill(context)
  }

  /// Draws the text with the top left of its first line at a point of the picture, in pixels.
  func draw(on canvas: Canvas, x: Double, y: Double) throws(TypesettingError) {
    if let plate = text.plate { draw(plate, on: canvas, x: x, y: y) }
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
    try canvas.requireDrawn()
  }

  /// Draws the letters that are pictures in their fonts, such as emoji, and have no outlines. They are drawn at a size
  /// that Cairo supports, and enlarged from there.
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
    try small.requireDrawn()
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

  /// Sets the letters' outlines as the path of a picture. They are taken at a size for which Cairo has outlines.
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
  /// Sets the color for drawing.
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
