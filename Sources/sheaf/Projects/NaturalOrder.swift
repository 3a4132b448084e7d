/// The order of names in which people count: `clip 2` comes before `clip 10`.
package enum NaturalOrder {
  /// A part of a name: digits, or a single other character.
  private enum Part {
    case number(Substring)
    case character(Character)
  }

  /// Whether a name comes before another one. Runs of digits are compared as numbers, and letters without their case,
  /// unless the names are otherwise equal.
  package static func precedes(_ name: String, _ other: String) -> Bool {
    var (rest, others) = (name[...], other[...])
    while let part = take(&rest) {
      guard let theirs = take(&others) else { return false }
      switch (part, theirs) {
      case (.number(let own), .number(let their)):
        let (a, b) = (own.drop { $0 == "0" }, their.drop { $0 == "0" })
        if a.count != b.count { return a.count < b.count }
        if a != b { return a < b }
      case (.number, .character(let their)): return !their.isLetter ? "0" < their : true
      case (.character(let own), .number): return !own.isLetter && own < "0"
      case (.character(let own), .character(let their)):
        let (a, b) = (own.lowercased(), their.lowercased())
        if a != b { return a < b }
      }
    }
    return others.isEmpty ? name < other : true
  }

  private static func take(_ text: inout Substring) -> Part? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard digits.isEmpty else {
      text = text.dropFirst(digits.count)
      return .number(digits)
    }
    return text.popFirst().map { .character($0) }
  }
}
