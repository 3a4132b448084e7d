/// Looks through an SVG document for references to files and servers.
enum ExternalReferences {
  /// The first reference that is neither to a part of the document nor to data inside it; `nil` where there is none.
  static func first(in bytes: [UInt8]) -> String? {
    let text = self.text(of: bytes)
    // CSS takes its words in either case.
    let lowercased = text.lowercased()
    for word in ["<!entity", "<?xml-stylesheet", "@import"] where lowercased.contains(word) {
      return word
    }
    return values(after: "href", in: text, opening: "=").first(where: isExternal)
      ?? values(after: "url", in: lowercased, opening: "(").first(where: isExternal)
  }

  /// The document's text, which is UTF-8 unless a mark at its beginning says UTF-16.
  private static func text(of bytes: [UInt8]) -> String {
    let order: (high: Int, low: Int)? =
      switch bytes.prefix(2) {
      case [0xFE, 0xFF]: (0, 1)
      case [0xFF, 0xFE]: (1, 0)
      default: nil
      }
    guard let order else { return String(decoding: bytes, as: UTF8.self) }
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map {
      UInt16(bytes[$0 + order.high]) << 8 | UInt16(bytes[$0 + order.low])
    }
    return String(decoding: units, as: UTF16.self)
  }

  private static func isExternal(_ value: String) -> Bool {
    !value.isEmpty && !value.hasPrefix("#") && !value.lowercased().hasPrefix("data:")
  }

  /// What follows a word and a sign, without quotes.
  private static func values(
    after word: String, in text: String, opening: Character
  ) -> [String] {
    let parts = text.components(separated: word).dropFirst()
    return parts.compactMap { part in
      let rest = part.drop(while: \.isWhitespace)
      guard rest.first == opening else { return nil }
      let value = rest.dropFirst().drop { $0.isWhitespace || "\"'".contains($0) }
      let end = value.firstIndex { "\"')<>".contains($0) || $0.isNewline } ?? value.endIndex
      return String(value[..<end].prefix(200))
    }
  }
}

extension String {
  /// The parts between the occurrences of a word.
  fileprivate func components(separated word: String) -> [Substring] {
    self.split(separator: word, omittingEmptySubsequences: false)
  }
}
