import CPango

/// The fonts of this host in a few facts.
public struct FontSurvey: Hashable, Sendable {
  /// The number of families.
  public let families: Int
  /// The family that is used for `sans`; `nil` if there are no fonts.
  public let sans: String?
  /// The kinds of letters that no font has.
  public let missing: [String]

  /// One letter of each kind. Fonts with an older selection of emoji lack this one.
  private static let kinds = [
    ("Chinese", "\u{6F22}"), ("Japanese", "\u{3042}"), ("Korean", "\u{D55C}"),
    ("emoji", "\u{1F973}"),
  ]

  /// Examines the fonts.
  public init() {
    guard let fonts = try? FontCatalog(), !fonts.families.isEmpty else {
      (families, sans, missing) = (0, nil, Self.kinds.map(\.0))
      return
    }
    families = fonts.families.count
    sans = Self.family(of: "sans", in: fonts)
    missing = Self.kinds.filter { !Self.has($0.1, fonts) }.map(\.0)
  }

  /// The family that is used for a name.
  private static func family(of name: String, in fonts: FontCatalog) -> String? {
    let wanted = pango_font_description_new()
    defer { pango_font_description_free(wanted) }
    pango_font_description_set_family(wanted, name)
    guard let font = pango_context_load_font(fonts.context, wanted) else { return nil }
    defer { g_object_unref(font) }
    let found = pango_font_describe(font)
    defer { pango_font_description_free(found) }
    return pango_font_description_get_family(found).map { String(cString: $0) }
  }

  /// Whether any font has the letters of a text.
  private static func has(_ text: String, _ fonts: FontCatalog) -> Bool {
    guard let layout = pango_layout_new(fonts.context) else { return false }
    defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
    pango_layout_set_text(layout, text, -1)
    return pango_layout_get_unknown_glyphs_count(layout) == 0
  }
}
