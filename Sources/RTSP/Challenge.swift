/// A scheme with which a server wants to be shown a user and a password (RFC 7235, 2.1).
package struct Challenge: Hashable, Sendable {
  /// The scheme in lower case: `basic` or `digest`, for example.
  let scheme: String
  /// The parameters, with their names in lower case.
  private(set) var parameters: [String: String] = [:]

  /// Reads the challenges of a `WWW-Authenticate` header, which may have several.
  package static func challenges(in text: String) -> [Challenge] {
    var found: [Challenge] = []
    var rest = Array(text.unicodeScalars)[...]
    while true {
      rest = rest.drop { $0 == "," || $0 == " " || $0 == "\t" }
      let token = rest.prefix(while: isToken)
      guard !token.isEmpty else { return found }
      rest = rest.dropFirst(token.count)
      let word = String(String.UnicodeScalarView(token)).lowercased()
      let after = rest.drop { $0 == " " || $0 == "\t" }
      guard after.first == "=", !found.isEmpty else {
        found.append(Challenge(scheme: word))
        continue
      }
      rest = after.dropFirst().drop { $0 == " " || $0 == "\t" }
      found[found.count - 1].parameters[word] = value(&rest)
    }
  }

  private static func isToken(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      || "-._~+!#$%&'*^`|".unicodeScalars.contains(scalar)
  }

  /// Reads a token or a quoted string.
  private static func value(_ rest: inout ArraySlice<Unicode.Scalar>) -> String {
    var value = String.UnicodeScalarView()
    guard rest.first == "\"" else {
      value.append(contentsOf: rest.prefix { $0 != "," && $0 != " " })
      rest = rest.dropFirst(value.count)
      return String(value)
    }
    rest = rest.dropFirst()
    while let next = rest.popFirst(), next != "\"" {
      value.append(next == "\\" ? rest.popFirst() ?? next : next)
    }
    return String(value)
  }
}
