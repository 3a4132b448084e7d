extension AssetURL {
  /// The URL for messages, without the query, which not every reader of messages may see.
  public var shown: String { Self.withoutQueries(description) }

  /// Removes the queries of all URLs in a message, because they may contain secrets, such as the signature of a signed
  /// URL.
  ///
  /// The time is linear in the length, because messages contain names that users choose.
  public static func withoutQueries(_ message: String) -> String {
    guard message.utf8.contains(UInt8(ascii: "?")), message.contains("://") else { return message }
    var result: [UInt8] = []
    var rest = Array(message.utf8)[...]
    while !rest.isEmpty {
      let word = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: "\"") }
      let query = query(in: word)
      result += word[..<query.lowerBound]
      if !query.isEmpty { result += "…".utf8 }
      result += word[query.upperBound...]
      rest = rest[word.endIndex...]
      if let end = rest.popFirst() { result.append(end) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The range of a URL's query in a word, without trailing punctuation; empty if there is no query.
  private static func query(in word: ArraySlice<UInt8>) -> Range<Int> {
    let none = word.endIndex..<word.endIndex
    var isURL = false
    for (index, byte) in zip(word.indices, word) {
      if byte == UInt8(ascii: "?"), isURL {
        let punctuation = word[(index + 1)...].reversed().prefix { ":,;.".utf8.contains($0) }
        return (index + 1)..<(word.endIndex - punctuation.count)
      }
      guard byte == UInt8(ascii: ":"), word[index...].starts(with: "://".utf8) else { continue }
      let scheme = word[..<index].suffix(5).map { $0 | 0x20 }
      isURL =
        isURL || scheme.suffix(4).elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8)
    }
    return none
  }
}
