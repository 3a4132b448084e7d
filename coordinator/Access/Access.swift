import FarmAPI
import Foundation
import HTTP

/// Identifies the callers of requests and decides what they may do.
package final class Access: Sendable {
  /// Whether callers without a token are accepted.
  package enum Policy: Hashable, Sendable {
    /// Every caller is accepted, because only the coordinator's own host can reach it.
    case loopback
    /// Only callers with a token are accepted.
    case tokens
  }

  private let policy: Policy
  private let tokens: TokenTable
  private let sessions: Sessions
  /// Whether workers need a certificate of the client authority in addition to their token.
  private let workersShowCertificates: Bool

  /// Creates the access control of a coordinator on a data directory.
  package init(
    _ policy: Policy, data: String, workersShowCertificates: Bool = false, log: Log,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.policy = policy
    tokens = TokenTable(TokenFile(data: data), log: log)
    sessions = Sessions(now: now)
    self.workersShowCertificates = workersShowCertificates
  }

  /// Returns the caller of a request.
  ///
  /// - Throws: ``AccessError`` if the request needs a token and has no active one, or `audience` does not
  ///   include the token's role or the request comes from another site's page.
  package func admit(_ head: RequestHead, to audience: Audience) throws(AccessError) -> Caller {
    let caller: Caller
    if let field = head.headers["Authorization"] {
      // No page of another site can make a browser send this header.
      guard let record = Self.bearer(field).flatMap(tokens.record) else {
        throw .unauthorized("the token is not valid: ask the coordinator's operator for a new one")
      }
      caller = Caller(record)
    } else {
      caller = try admitBrowser(head, to: audience)
    }
    guard audience.includes(caller) else {
      if caller.isStranger {
        throw .unauthorized("a token is required: send it as `Authorization: Bearer TOKEN`")
      }
      throw .forbidden("a token with the role \(caller.role.rawValue) does not allow this")
    }
    if workersShowCertificates, caller.role == .worker, !head.hasTrustedCertificate {
      throw .forbidden("a worker needs a client certificate that the coordinator trusts")
    }
    return caller
  }

  /// Admits a caller that may be a browser, in which pages of other sites can make requests too.
  private func admitBrowser(
    _ head: RequestHead, to audience: Audience
  ) throws(AccessError) -> Caller {
    if policy == .loopback { try CrossSite.checkHost(head) }
    let session = head.cookie(Sessions.cookie(isSecure: head.isSecure)).flatMap {
      sessions.token(of: $0)
    }
    let signedIn = session.flatMap(tokens.activeRecord).map { Caller($0) }
    let caller = signedIn ?? (policy == .loopback ? .local : .stranger)
    // Any site may link to a public page, which reveals nothing. Other routes accept only the coordinator's own page.
    let isPage = audience.includesStrangers && (head.method == .get || head.method == .head)
    if !isPage { try CrossSite.check(head) }
    return caller
  }

  /// Whether a caller that was admitted earlier would still be admitted: its token may have been revoked.
  package func isInForce(_ caller: Caller) -> Bool {
    caller.token.map { tokens.activeRecord(id: $0) != nil } ?? true
  }

  /// A number that is different whenever tokens have been created or revoked.
  var tokensVersion: Int { tokens.version }

  /// The reason why the coordinator currently accepts no worker or no submitter, or `nil` if it accepts both.
  package func obstacle() -> String? {
    guard policy == .tokens else { return nil }
    guard let roles = tokens.activeRoles else {
      return "the tokens file cannot be read, so no token is accepted: see the coordinator's log"
    }
    for (audience, role) in [(Audience.workers, Role.worker), (.submitters, .submitter)]
    where roles.isDisjoint(with: audience.roles) {
      return "no \(role.rawValue) can connect, because there is no active token with this role: "
        + "create one with `sheaf-coordinator token create --role \(role.rawValue)`"
    }
    return nil
  }

  /// Begins a session for the holder of a token.
  ///
  /// - Throws: ``AccessError`` if the token is not active.
  package func signIn(with token: String) throws(AccessError) -> (session: String, caller: Caller) {
    guard let record = tokens.record(of: token) else {
      throw .unauthorized("the token is not valid: ask the coordinator's operator for a new one")
    }
    return (sessions.begin(for: record.id), Caller(record))
  }

  /// Ends the session that a request belongs to, if any.
  func signOut(_ head: RequestHead) {
    if let session = head.cookie(Sessions.cookie(isSecure: head.isSecure)) { sessions.end(session) }
  }

  /// The token of an `Authorization` field (RFC 6750).
  private static func bearer(_ field: String) -> String? {
    let parts = field.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}

extension Caller {
  init(_ record: TokenRecord) {
    self.init(role: record.role, name: record.name, token: record.id)
  }
}
