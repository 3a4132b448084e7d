import Timeline

extension String {
  /// The text, or its beginning if it has more than `count` characters or more than `byteCount` bytes of UTF-8.
  ///
  /// The limit on bytes is needed because one character may have any number of accents. It separates a character from
  /// its accents only if that character alone has too many.
  public func shortened(toCharacters count: Int, bytes byteCount: Int) -> String {
    var end = startIndex
    var left = count
    while left > 0, end < endIndex {
      let next = index(after: end)
      guard utf8.distance(from: startIndex, to: next) <= byteCount else { break }
      end = next
      left -= 1
    }
    guard end == startIndex, left > 0 else { return String(self[..<end]) }
    return shortened(toBytes: byteCount)
  }
}
