/// The percent-encoding of signed requests, in which only unreserved characters (RFC 3986, section 2.3) stay as they
/// are.
enum URIEncoding {
  static func isUnreserved(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || "-._~".utf8.contains(byte)
  }

  static func encode(_ text: String, keepingSlashes: Bool = false) -> String {
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) || (keepingSlashes && byte == UInt8(ascii: "/")) {
        encoded.append(byte)
      } else {
        let digits = Array("0123456789ABCDEF".utf8)
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
