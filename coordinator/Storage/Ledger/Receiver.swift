import FarmAPI
import Timeline

/// The receiver of notifications.
package enum Receiver: Hashable, Sendable {
  /// A URL that gets requests.
  case webhook(AssetURL)
  /// An address that gets mail.
  case mail(MailAddress)

  /// Reads the receiver that ``description`` describes.
  package init?(_ text: String) {
    if text.hasPrefix("mailto:") {
      guard let address = MailAddress(String(text.dropFirst("mailto:".count))) else { return nil }
      self = .mail(address)
    } else {
      guard let url = try? AssetURL(text) else { return nil }
      self = .webhook(url)
    }
  }

  /// The URL with its query, or `mailto:` and the address.
  package var description: String {
    switch self {
    case .webhook(let url): url.description
    case .mail(let address): "mailto:\(address.text)"
    }
  }

  /// The receiver as people see it: of a URL only the scheme and the host, because some services put a secret in the
  /// path or the query.
  package var shown: String {
    switch self {
    case .webhook(let url): url.origin
    case .mail: description
    }
  }

  /// The server behind it. If it does not respond, its other receivers wait, too.
  package var server: String {
    switch self {
    case .webhook(let url): url.origin
    case .mail: "mail"
    }
  }
}

/// An address for mail that cannot be taken for an option or add a header.
package struct MailAddress: Hashable, Sendable {
  package let text: String

  /// Accepts addresses such as `ada@example.com`; `nil` for anything unusual.
  package init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    let allowed = { (character: Character) in
      character.isASCII && (character.isLetter || character.isNumber || "._+-".contains(character))
    }
    guard (1...2).contains(parts.count), text.utf8.count <= 254, !text.hasPrefix("-"),
      parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(allowed) })
    else { return nil }
    self.text = text
  }
}
