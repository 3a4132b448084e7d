/// A validator for SVG path data (SVG 1.1, section 8.3).
struct PathSyntax {
  private var rest: Substring.UTF8View
  /// The problem with the path; `nil` if it is valid.
  private(set) var problem: String?

  /// The number of arguments of each command.
  private static let counts: [Character: Int] = [
    "m": 2, "l": 2, "h": 1, "v": 1, "c": 6, "s": 4, "q": 4, "t": 2, "a": 7, "z": 0,
  ]

  /// Validates a path.
  init(_ text: String) {
    rest = text[...].utf8
    skip { Self.isSpace($0) }
    var isFirst = true
    while problem == nil, let byte = rest.first {
      let command = Character(Unicode.Scalar(byte))
      guard let count = Self.counts[Character(command.lowercased())] else {
        problem = "\"\(command)\" is not a path command"
        return
      }
      guard !isFirst || command.lowercased() == "m" else {
        problem = "a path cannot begin with \"\(command)\""
        return
      }
      isFirst = false
      rest = rest.dropFirst()
      readArguments(of: command, count: count)
    }
    if isFirst { problem = "the path is empty" }
  }

  private mutating func readArguments(of command: Character, count: Int) {
    skip { Self.isSpace($0) }
    guard count > 0 else { return }
    var groups = 0
    while groups == 0 || startsNumber {
      for place in 0..<count {
        let isFlag = command.lowercased() == "a" && (place == 3 || place == 4)
        guard isFlag ? readFlag() : readNumber() else {
          problem =
            "\"\(command)\" has \(groups * count + place) numbers, but takes \(count) at a time"
          return
        }
        skip { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
      }
      groups += 1
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [9, 10, 12, 13, 32].contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  private var startsNumber: Bool {
    rest.first.map { Self.isDigit($0) || "+-.".utf8.contains($0) } ?? false
  }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }

  private mutating func readFlag() -> Bool {
    guard let byte = rest.first, byte == 48 || byte == 49 else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func readNumber() -> Bool {
    let start = rest
    if let sign = rest.first, "+-".utf8.contains(sign) { rest = rest.dropFirst() }
    let whole = rest.count
    skip(Self.isDigit)
    var digits = whole - rest.count
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      let fraction = rest.count
      skip(Self.isDigit)
      digits += fraction - rest.count
    }
    guard digits > 0 else { return false }
    if let letter = rest.first, "eE".utf8.contains(letter) {
      rest = rest.dropFirst()
      if let sign = rest.first, "+-".utf8.contains(sign) { rest = rest.dropFirst() }
      let exponent = rest.count
      skip(Self.isDigit)
      guard exponent > rest.count else { return false }
    }
    let text = String(Substring(start.prefix(start.count - rest.count)))
    return Double(text).map { abs($0) <= 1_000_000 } ?? false
  }
}
