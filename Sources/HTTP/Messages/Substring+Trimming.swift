extension Substring {
  /// The text without leading and trailing spaces, tabs, carriage returns and line feeds. Foundation's function converts
  /// the text to UTF-16 and back, which is too slow for every header field.
  var trimmed: Substring {
    func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
    guard let first = utf8.firstIndex(where: { !isBlank($0) }),
      let last = utf8.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return Substring(utf8[first...last])
  }
}
