import CPango
import ProjectFormat

/// The fonts that are installed on this host.
final class FontCatalog {
  /// The Pango context for layouts.
  let context: OpaquePointer
  /// The families' names, sorted.
  let families: [String]
  private let map: UnsafeMutablePointer<PangoFontMap>

  init() throws(TypesettingError) {
    guard let map = pango_cairo_font_map_new() else {
      throw TypesettingError("cannot read any fonts", remedy: "install fontconfig and a font")
    }
    guard let context = pango_font_map_create_context(map) else {
      g_object_unref(map)
      throw TypesettingError("cannot read any fonts", remedy: "install fontconfig and a font")
    }
    self.map = map
    self.context = context
    families = Self.names(map)
    // Letters keep their shapes and distances at any scale.
    pango_context_set_round_glyph_positions(context, 0)
    let options = cairo_font_options_create()
    defer { cairo_font_options_destroy(options) }
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    pango_cairo_context_set_font_options(context, options)
  }

  deinit {
    g_object_unref(UnsafeMutableRawPointer(context))
    g_object_unref(map)
  }

  private static func names(_ map: UnsafeMutablePointer<PangoFontMap>) -> [String] {
    var list: UnsafeMutablePointer<UnsafeMutablePointer<PangoFontFamily>?>?
    var count: Int32 = 0
    pango_font_map_list_families(map, &list, &count)
    defer { g_free(list) }
    let names = (0..<Int(count)).compactMap { number in
      list?[number].flatMap { pango_font_family_get_name($0) }.map { String(cString: $0) }
    }
    return Set(names).sorted()
  }

  /// Checks that a family is installed, because Pango would silently use another one.
  func check(_ family: String) throws(TypesettingError) {
    let wanted = family.lowercased()
    guard !families.contains(where: { $0.lowercased() == wanted }) else { return }
    guard
      let closest = families.min(by: {
        Self.distance(wanted, $0.lowercased()) < Self.distance(wanted, $1.lowercased())
      })
    else {
      throw TypesettingError(
        "the font family \"\(family)\" is not installed, and neither is any other",
        key: "font.family",
        remedy: "install fonts on the machine that plans the project")
    }
    let shown = families.prefix(20).joined(separator: ", ")
    let more = families.count > 20 ? " and \(families.count - 20) more" : ""
    throw TypesettingError(
      "the font family \"\(family)\" is not installed", key: "font.family",
      remedy:
        "install it on the machine that plans the project, or choose another: "
        + "\"\(closest)\" is closest; installed: \(shown)\(more)")
  }

  /// The number of letters to change, add or remove to turn one name into the other (Levenshtein distance).
  private static func distance(_ one: String, _ other: String) -> Int {
    let (one, other) = (Array(one), Array(other))
    var row = Array(0...other.count)
    for (number, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = number + 1
      for place in other.indices {
        let above = row[place + 1]
        row[place + 1] = min(
          diagonal + (letter == other[place] ? 0 : 1), above + 1, row[place] + 1)
        diagonal = above
      }
    }
    return row[other.count]
  }
}
