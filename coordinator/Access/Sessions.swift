import Crypto
import Foundation
import Synchronization

/// The sessions of users who are signed in to the status page. They end with the coordinator.
final class Sessions: Sendable {
  /// The name of the session cookie. Over TLS it has the prefix `__Host-` (RFC 6265bis), so browsers reject a cookie
  /// with this name from another host of the domain or from a page without TLS.
  static func cookie(isSecure: Bool) -> String {
    isSecure ? "__Host-sheaf_session" : "sheaf_session"
  }
  /// The lifetime of a session: a working day.
  static let lifetime: TimeInterval = 12 * 3600
  /// The maximum number of sessions. One more ends the session that would expire first.
  private static let limit = 10_000

  private struct Session {
    let token: String
    let end: Date
  }

  /// The sessions by the hash of their id, which is long and random.
  private let sessions = Mutex<[Digest: Session]>([:])
  private let now: @Sendable () -> Date

  init(now: @escaping @Sendable () -> Date) {
    self.now = now
  }

  /// Begins a session for a token, and returns the session's id.
  func begin(for token: String) -> String {
    let id = SecureRandom.token(bytes: 32)
    let now = now()
    sessions.withLock { sessions in
      sessions = sessions.filter { $0.value.end > now }
      if sessions.count >= Self.limit,
        let first = sessions.min(by: { $0.value.end < $1.value.end })?.key
      {
        sessions[first] = nil
      }
      sessions[TokenRecord.hash(id)] = Session(
        token: token, end: now.addingTimeInterval(Self.lifetime))
    }
    return id
  }

  /// The id of a session's token, or `nil` if the session does not exist or has ended.
  func token(of id: String) -> String? {
    guard id.utf8.count <= 256 else { return nil }
    let session = sessions.withLock { $0[TokenRecord.hash(id)] }
    return session.flatMap { $0.end > now() ? $0.token : nil }
  }

  func end(_ id: String) {
    sessions.withLock { _ = $0.removeValue(forKey: TokenRecord.hash(id)) }
  }
}
