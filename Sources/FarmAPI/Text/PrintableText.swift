/// Text from outside, such as the name of a job, a worker or a file, made safe to display: a single line whose
/// characters are all visible and none of which moves, hides or reorders others.
///
/// Terminals, logs, response headers and `sheaf`'s tables show text from outside in this form only. The status page's
/// script has the same rule.
public struct PrintableText: Hashable, Sendable, CustomStringConvertible {
  /// The text with harmful characters escaped, such as `\n` and `\u{202E}`.
  public let description: String

  /// Escapes the harmful characters in `text`.
  public init(_ text: String) {
    guard Self.needsEscaping(text) else {
      description = text
      return
    }
    var escaped = ""
    for scalar in text.unicodeScalars {
      if Self.isHarmful(scalar) {
        escaped += Self.escape(scalar)
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    description = escaped
  }

  /// The lines of `text`, each made printable, for messages that may have several.
  public static func lines(of text: String) -> [PrintableText] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { PrintableText(String($0)) }
  }

  /// A JSON document whose harmful characters within strings are escaped as in JSON. Line breaks between its values
  /// stay.
  public static func json(_ document: String) -> String {
    guard needsEscaping(document) else { return document }
    var escaped = ""
    for scalar in document.unicodeScalars {
      if isHarmful(scalar), scalar != "\n" {
        for unit in String(scalar).utf16 {
          escaped += "\\u" + hexadecimal(UInt32(unit), digits: 4)
        }
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Whether a character is shown unescaped.
  public static func isPrintable(_ character: Character) -> Bool {
    !character.unicodeScalars.contains(where: isHarmful)
  }

  /// Whether a character is escaped: controls (C0, DEL and C1, which covers every escape sequence), line and paragraph
  /// separators, and format characters, including those that reorder text. The two joiners that scripts and emoji need
  /// are kept.
  static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    guard !(0x20...0x7e).contains(scalar.value) else { return false }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    case .format: return scalar != "\u{200C}" && scalar != "\u{200D}"
    default: return false
    }
  }

  private static func needsEscaping(_ text: String) -> Bool {
    // Most text is plain ASCII, which needs no decoding.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 > 0x7e }) else { return false }
    return text.unicodeScalars.contains(where: isHarmful)
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(hexadecimal(scalar.value, digits: 1))}"
    }
  }

  private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
