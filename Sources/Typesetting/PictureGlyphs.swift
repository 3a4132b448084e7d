import CPango

/// The glyphs of a run that are pictures in their font, such as emoji, and their place.
final class PictureGlyphs {
  /// The font, which the layout keeps.
  let font: UnsafeMutablePointer<PangoFont>
  /// The run's glyphs; those that are not pictures are empty.
  let glyphs: UnsafeMutablePointer<PangoGlyphString>
  /// The start of the run, in Pango units.
  let x: Int32
  /// The baseline of its letters, in Pango units.
  let baseline: Int32

  /// The pictures of a run; `nil` if it has none.
  init?(of run: UnsafeMutablePointer<PangoLayoutRun>, x: Int32, baseline: Int32) {
    guard let font = run.pointee.item.pointee.analysis.font,
      let glyphs = pango_glyph_string_copy(run.pointee.glyphs)
    else { return nil }
    (self.font, self.glyphs, self.x, self.baseline) = (font, glyphs, x, baseline)
    var hasAny = false
    for number in 0..<Int(glyphs.pointee.num_glyphs) {
      if glyphs.pointee.glyphs[number].attr.is_color != 0 {
        hasAny = true
      } else {
        glyphs.pointee.glyphs[number].glyph = sheaf_pango_glyph_empty
      }
    }
    guard hasAny else { return nil }
  }

  deinit { pango_glyph_string_free(glyphs) }
}
