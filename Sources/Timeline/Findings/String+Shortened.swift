extension String {
  /// The text, or its beginning and an ellipsis if it has more than `count` bytes of UTF-8; `count` is at least 3.
  package func shortened(toBytes count: Int) -> String {
    guard utf8.count > count else { return self }
    var end = utf8.index(startIndex, offsetBy: max(0, count - 3))
    // Not in the middle of a character's bytes.
    while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return String(decoding: utf8[..<end], as: UTF8.self) + "…"
  }
}
