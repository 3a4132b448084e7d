/// Looks through an SVG document for references to files and servers.
enum ExternalReferences {
  /// The first reference that is neither to a part of the document nor to data inside it; `nil` where there is none.
  static func first(in bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    for word in ["<!ENTITY", "<?xml-stylesheet", "@import"] where text.contains(word) {
      return word
    }
    return values(after: "href", in: text, opening: "=").first(where: isExternal)
      ?? values(after: "url", in: text, opening: "(").first(where: isExternal)
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
