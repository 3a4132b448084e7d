extension PrintableText {
  /// The width of the text in terminal columns: zero for combining marks, two for East Asian wide characters and emoji
  /// (Unicode Standard Annex 11).
  public var columns: Int {
    // In plain ASCII, each byte is a character.
    guard description.utf8.contains(where: { $0 > 0x7e }) else { return description.utf8.count }
    return description.reduce(0) { $0 + Self.columns(of: $1) }
  }

  /// The longest prefix of the text that fits in the given number of columns.
  public func prefix(columns limit: Int) -> String {
    var left = limit
    let end = description.firstIndex { character in
      left -= Self.columns(of: character)
      return left < 0
    }
    return String(description[..<(end ?? description.endIndex)])
  }

  /// The text, or its beginning with an ellipsis if it is wider than the given number of columns.
  public func shortened(toColumns limit: Int) -> String {
    columns <= limit ? description : prefix(columns: max(limit - 1, 0)) + (limit > 0 ? "…" : "")
  }

  /// The text, padded with spaces to the given number of columns.
  public func padded(toColumns width: Int) -> String {
    description + String(repeating: " ", count: max(0, width - columns))
  }

  private static func columns(of character: Character) -> Int {
    // A sequence of joined emoji is displayed as one.
    character.unicodeScalars.reduce(0) { max($0, columns(of: $1)) }
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format:
      // This selector requests the emoji form of a character that also has a narrow form.
      return scalar == "\u{FE0F}" ? 2 : 0
    default:
      let isWide = scalar.properties.isEmojiPresentation || wide.contains { $0 ~= scalar.value }
      return isWide ? 2 : 1
    }
  }

  /// The blocks of Hangul, Kana, Han and full-width characters.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x20000...0x3FFFD,
  ]
}
