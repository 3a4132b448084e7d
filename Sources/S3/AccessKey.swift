import Foundation

/// A key with which requests are signed. Its secret never appears in messages.
public struct AccessKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// The public part, which requests contain.
  package let id: String
  let secret: String
  /// The token that belongs to a temporary key.
  package let session: String?
  /// The time after which the store rejects it; `nil` if it does not expire.
  let expiry: Date?

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - session: the token that belongs to a temporary key.
  ///   - expiry: the time after which the store rejects it; `nil` if it does not expire.
  public init(id: String, secret: String, session: String? = nil, expiry: Date? = nil) {
    (self.id, self.secret, self.session, self.expiry) = (id, secret, session, expiry)
  }

  /// A fixed text that reveals nothing about the key.
  public var description: String { "access key" }
  /// An empty mirror that reveals nothing about the key.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
