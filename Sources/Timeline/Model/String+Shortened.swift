extension String {
  /// The text, cut off with an ellipsis if it has more than `count` bytes of UTF-8. `count` must be at least 3.
  package func shortened(toBytes count: Int) -> String {
    guard utf8.count > count else { return self }
    var end = utf8.index(startIndex, offsetBy: max(0, count - 3))
    // Do not cut in the middle of a character.
    while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return String(decoding: utf8[..<end], as: UTF8.self) + "…"
  }
}
