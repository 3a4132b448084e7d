/// A user and a password for a server.
///
/// The description hides them, so that they do not appear in logs and messages.
package struct RTSPCredentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  let user: String
  let password: String

  /// Reads `user:password`. Returns `nil` if there is no user or no colon. The password may be empty and may contain
  /// colons.
  package init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { return nil }
    user = String(text[..<colon])
    password = String(text[text.index(after: colon)...])
  }

  /// A placeholder.
  package var description: String { "(hidden)" }
  /// A mirror without children.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
