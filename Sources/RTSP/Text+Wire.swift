extension StringProtocol {
  /// The text without spaces and tabs at its ends.
  var trimmed: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    return String(
      drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }

  /// The visible ASCII characters and spaces of text from a server, for messages.
  func visible(upTo count: Int) -> String {
    String(decoding: utf8.lazy.filter { (32..<127).contains($0) }.prefix(count), as: UTF8.self)
  }
}
