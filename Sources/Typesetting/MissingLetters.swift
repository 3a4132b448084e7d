import CPango

/// The letters of a layout that no font has, each once, in text order.
struct MissingLetters: CustomStringConvertible {
  private var letters: [Unicode.Scalar] = []

  /// The number of letters that are named; more are only counted.
  private static let mostNamed = 8

  /// Finds the letters that a layout shows as boxes with their code points.
  init(in layout: OpaquePointer) {
    guard let runs = pango_layout_get_iter(layout) else { return }
    defer { pango_layout_iter_free(runs) }
    repeat {
      guard let glyphs = pango_layout_iter_get_run_readonly(runs)?.pointee.glyphs else { continue }
      for number in 0..<Int(glyphs.pointee.num_glyphs) {
        // Such a glyph is the letter's code point with a flag.
        let glyph = glyphs.pointee.glyphs[number].glyph
        guard glyph & sheaf_pango_glyph_unknown != 0,
          let letter = Unicode.Scalar(glyph & ~sheaf_pango_glyph_unknown),
          !letters.contains(letter)
        else { continue }
        letters.append(letter)
      }
    } while pango_layout_iter_next_run(runs) != 0
  }

  /// For example `"ཀ" (U+0F40), U+10FFFD and 3 more`. Letters that cannot be displayed appear only as code points.
  var description: String {
    var names = letters.prefix(Self.mostNamed).map { letter in
      let digits = String(letter.value, radix: 16, uppercase: true)
      let number = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      return Self.isShown(letter) ? "\"\(letter)\" (\(number))" : number
    }
    if letters.count > names.count { names.append("\(letters.count - names.count) more") }
    guard names.count > 1, let last = names.last else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }

  private static func isShown(_ letter: Unicode.Scalar) -> Bool {
    switch letter.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator, .spaceSeparator, .nonspacingMark, .enclosingMark, .spacingMark:
      false
    default: true
    }
  }
}
