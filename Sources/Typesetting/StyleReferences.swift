/// Finds the references in a style sheet, or in a value, from the CSS tokens that matter for them, including escapes.
struct StyleReferences {
  private let text: [Unicode.Scalar]
  private var place = 0

  /// The first reference that leads outside the document: an address, or an imported style sheet.
  static func first(in text: String) -> String? {
    var references = StyleReferences(text: Array(text.unicodeScalars))
    return references.next()
  }

  private var scalar: Unicode.Scalar? { place < text.count ? text[place] : nil }
  private var following: Unicode.Scalar? { place + 1 < text.count ? text[place + 1] : nil }

  private mutating func next() -> String? {
    var isImport = false
    while let scalar {
      if scalar == "/", following == "*" {
        skipComment()
        continue
      }
      var address: String?
      if scalar == "\"" || scalar == "'" {
        let string = readString()
        if isImport { address = string }
      } else if scalar == "@" || Self.isName(scalar) || scalar == "\\" {
        let name = readName().lowercased()
        if name == "@import" { isImport = true }
        if name == "url", self.scalar == "(" { address = readAddress() }
      } else {
        place += 1
      }
      guard let address else { continue }
      if isImport { return "@import \(address)" }
      if ExternalReferences.isExternal(address) { return address }
    }
    return isImport ? "@import" : nil
  }

  private static func isName(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x80 || scalar == "-" || scalar == "_"
      || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    [" ", "\t", "\n", "\r", "\u{c}"].contains(scalar)
  }

  private mutating func skipComment() {
    place += 2
    while let scalar, !(scalar == "*" && following == "/") { place += 1 }
    place += 2
  }

  private mutating func skipSpace() {
    while let scalar, Self.isSpace(scalar) { place += 1 }
  }

  /// Reads a name, with its `@` if it has one.
  private mutating func readName() -> String {
    var name = String.UnicodeScalarView()
    while let scalar {
      if scalar == "\\" {
        name.append(readEscape())
      } else if Self.isName(scalar) || (scalar == "@" && name.isEmpty) {
        name.append(scalar)
        place += 1
      } else {
        break
      }
    }
    return String(name)
  }

  /// Reads a quoted string.
  private mutating func readString() -> String {
    let quote = scalar
    place += 1
    var string = String.UnicodeScalarView()
    while let scalar, scalar != quote {
      if scalar == "\\" {
        string.append(readEscape())
      } else {
        string.append(scalar)
        place += 1
      }
    }
    place += 1
    return String(string)
  }

  /// Reads the content of `url(…)`.
  private mutating func readAddress() -> String {
    place += 1
    skipSpace()
    if scalar == "\"" || scalar == "'" { return readString() }
    var address = String.UnicodeScalarView()
    while let scalar, scalar != ")", !Self.isSpace(scalar) {
      if scalar == "\\" {
        address.append(readEscape())
      } else {
        address.append(scalar)
        place += 1
      }
    }
    return String(address)
  }

  /// Reads an escape: a backslash with up to six hexadecimal digits and a space, or with any other character.
  private mutating func readEscape() -> Unicode.Scalar {
    place += 1
    var value: UInt32?
    var count = 0
    while count < 6, let digit = scalar.flatMap({ Character($0).hexDigitValue }) {
      value = (value ?? 0) * 16 + UInt32(digit)
      count += 1
      place += 1
    }
    if let value {
      if let scalar, Self.isSpace(scalar) { place += 1 }
      return Unicode.Scalar(value) ?? "\u{fffd}"
    }
    let escaped = scalar ?? "\u{fffd}"
    place += 1
    return escaped
  }
}
