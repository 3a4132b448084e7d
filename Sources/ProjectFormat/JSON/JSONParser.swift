import Timeline

/// A strict JSON parser (RFC 8259): no trailing commas, no duplicate keys, nothing after the document.
struct JSONParser {
  /// The maximum depth of nested lists and objects: enough for the deepest layers, each a list and an object, and for
  /// what is around and in them.
  static let depthLimit = 2 * RenderLimits.layerDepth + 16

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Parses a document. A leading byte order mark is skipped.
  static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
    var parser = JSONParser(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
    try parser.checkEncoding()
    let value = try parser.value()
    parser.skipSpace()
    guard parser.position == bytes.count else {
      throw parser.failure("unexpected text after the end of the document")
    }
    return value
  }

  private func failure(_ problem: String, at offset: Int? = nil) -> JSONSyntaxError {
    JSONSyntaxError(problem: problem, at: offset ?? position, in: bytes)
  }

  private func checkEncoding() throws(JSONSyntaxError) {
    guard String(validating: bytes, as: UTF8.self) == nil else { return }
    var decoder = Unicode.UTF8.ForwardParser()
    var (rest, offset) = (bytes.makeIterator(), 0)
    while case .valid(let scalar) = decoder.parseScalar(from: &rest) { offset += scalar.count }
    throw failure("the text is not valid UTF-8", at: offset)
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard current == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func value() throws(JSONSyntaxError) -> JSONValue {
    skipSpace()
    guard let byte = current else { throw failure("unexpected end of file, expected a value") }
    switch byte {
    case UInt8(ascii: "{"):
      return try nested { (parser) throws(JSONSyntaxError) in try parser.object() }
    case UInt8(ascii: "["):
      return try nested { (parser) throws(JSONSyntaxError) in try parser.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    default:
      for (word, value) in [
        ("true", JSONValue.bool(true)), ("false", .bool(false)), ("null", .null),
      ]
      where bytes[position...].starts(with: word.utf8) {
        position += word.utf8.count
        return value
      }
      throw failure("expected a JSON value")
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(JSONSyntaxError) -> JSONValue
  ) throws(JSONSyntaxError) -> JSONValue {
    guard depth < Self.depthLimit else {
      throw failure("lists and objects are nested more than \(Self.depthLimit) levels deep")
    }
    depth += 1
    position += 1
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func array() throws(JSONSyntaxError) -> JSONValue {
    var elements: [JSONValue] = []
    if take("]") { return .array(elements) }
    repeat { elements.append(try value()) } while take(",")
    guard take("]") else { throw failure("expected a comma or ] in a list") }
    return .array(elements)
  }

  private mutating func object() throws(JSONSyntaxError) -> JSONValue {
    var object = JSONObject()
    if take("}") { return .object(object) }
    repeat {
      skipSpace()
      let start = position
      guard current == UInt8(ascii: "\"") else {
        throw failure("expected a key in double quotes")
      }
      let key = try string()
      guard key.utf8.count <= RenderLimits.nameBytes else {
        throw failure(
          "a key has \(key.utf8.count) bytes, more than the limit of \(RenderLimits.nameBytes)",
          at: start)
      }
      guard take(":") else { throw failure("expected a colon after the key \"\(key)\"") }
      guard object.insert(key, try value()) else {
        throw failure("duplicate key \"\(key)\"", at: start)
      }
    } while take(",")
    guard take("}") else { throw failure("expected a comma or } in an object") }
    return .object(object)
  }

  private mutating func number() throws(JSONSyntaxError) -> String {
    let start = position
    if current == UInt8(ascii: "-") { position += 1 }
    if current == UInt8(ascii: "0") {
      position += 1
    } else {
      try digits()
    }
    if current == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      try digits()
    }
    if let byte = current, Self.isDigit(byte) {
      throw failure("a number has a leading zero", at: start)
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private mutating func digits() throws(JSONSyntaxError) {
    let start = position
    while let byte = current, Self.isDigit(byte) { position += 1 }
    guard position > start else { throw failure("expected a digit") }
  }

  private mutating func string() throws(JSONSyntaxError) -> String {
    let opening = position
    position += 1
    var text: [UInt8] = []
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        text += try escape()
      case 0..<0x20:
        throw failure("a string contains an unescaped control character")
      default:
        text.append(byte)
        position += 1
      }
    }
    throw failure("a string is not terminated", at: opening)
  }

  /// Reads the escape sequence at the current position, and returns its UTF-8.
  private mutating func escape() throws(JSONSyntaxError) -> [UInt8] {
    let start = position
    position += 1
    guard let byte = current else { throw failure("a string is not terminated") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      if 0xD800..<0xDC00 ~= code, bytes[position...].starts(with: "\\u".utf8) {
        position += 2
        let low = try hexadecimal()
        guard 0xDC00..<0xE000 ~= low else { break }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { break }
      return Array(String(Character(scalar)).utf8)
    default: break
    }
    throw failure("invalid escape sequence", at: start)
  }

  private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
    let digits = bytes[position...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
      let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw failure("expected four hexadecimal digits") }
    position += 4
    return code
  }
}
