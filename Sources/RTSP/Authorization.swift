import Crypto
import Foundation

/// Answers a server's challenge for each request (RFC 7617, RFC 7616).
package struct Authorization {
  /// A hash function for digests.
  private enum Algorithm: String {
    case sha256 = "SHA-256"
    case md5 = "MD5"

    func hash(_ text: String) -> String {
      switch self {
      case .sha256: Digest.of(Array(text.utf8)).description
      case .md5: MD5.hexadecimal(of: Array(text.utf8))
      }
    }
  }

  private enum Scheme {
    case basic
    case digest(Algorithm, realm: String, nonce: String, opaque: String?, hasQuality: Bool)
  }

  private let scheme: Scheme
  private let credentials: RTSPCredentials
  /// A random text of this end.
  private let clientNonce: String
  /// The number of requests with the server's nonce.
  private var count = 0

  /// Chooses the strongest of the challenges that are supported; `nil` if none is. Basic, which sends the password, is not
  /// chosen if Digest is offered, even if that is not supported.
  package init?(_ challenges: [Challenge], _ credentials: RTSPCredentials, clientNonce: String) {
    let digests = challenges.filter { $0.scheme == "digest" }
    let algorithm = [Algorithm.sha256, .md5].lazy.compactMap { algorithm in
      digests.first { challenge in
        (challenge.parameters["algorithm"] ?? Algorithm.md5.rawValue).uppercased()
          == algorithm.rawValue && Self.isSupported(challenge)
      }.map { (algorithm, $0.parameters) }
    }.first
    if let (algorithm, parameters) = algorithm {
      scheme = .digest(
        algorithm, realm: parameters["realm"] ?? "", nonce: parameters["nonce"] ?? "",
        opaque: parameters["opaque"], hasQuality: parameters["qop"] != nil)
    } else if digests.isEmpty, challenges.contains(where: { $0.scheme == "basic" }) {
      scheme = .basic
    } else {
      return nil
    }
    self.credentials = credentials
    self.clientNonce = clientNonce
  }

  /// Whether a digest may cover the request alone, and its values can be repeated within quotes.
  private static func isSupported(_ challenge: Challenge) -> Bool {
    let values = ["realm", "nonce", "opaque"].compactMap { challenge.parameters[$0] }
    let qualities = challenge.parameters["qop"].map { $0.split(separator: ",").map(\.trimmed) }
    return values.allSatisfy { !$0.contains("\"") && !$0.contains("\\") }
      && qualities?.contains("auth") ?? true
  }

  /// The value of the `Authorization` header of the next request.
  package mutating func header(method: String, url: String) -> String {
    guard case .digest(let algorithm, let realm, let nonce, let opaque, let hasQuality) = scheme
    else {
      let pair = Data("\(credentials.user):\(credentials.password)".utf8)
      return "Basic \(pair.base64EncodedString())"
    }
    count += 1
    let hash = algorithm.hash
    let secret = hash("\(credentials.user):\(realm):\(credentials.password)")
    let request = hash("\(method):\(url)")
    let user = credentials.user.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    var text = "Digest username=\"\(user)\", realm=\"\(realm)\", nonce=\"\(nonce)\", uri=\"\(url)\""
    if hasQuality {
      let number = String(count, radix: 16)
      let padded = String(repeating: "0", count: max(0, 8 - number.count)) + number
      let answer = hash("\(secret):\(nonce):\(padded):\(clientNonce):auth:\(request)")
      text += ", response=\"\(answer)\", qop=auth, nc=\(padded), cnonce=\"\(clientNonce)\""
    } else {
      text += ", response=\"\(hash("\(secret):\(nonce):\(request)"))\""
    }
    if algorithm == .sha256 { text += ", algorithm=SHA-256" }
    if let opaque { text += ", opaque=\"\(opaque)\"" }
    return text
  }
}
