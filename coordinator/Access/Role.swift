/// A role, which decides what the holder of a token may do.
package enum Role: String, Hashable, Codable, Sendable, CaseIterable {
  /// Submits jobs; sees and cancels its own.
  case submitter
  /// Renders.
  case worker
  /// Sees everything and changes nothing.
  case observer
  /// May do everything except render.
  case admin
}

/// The callers that a route admits. Every route declares its audience; no route is public by omission.
package struct Audience: Hashable, Sendable {
  /// The roles that are let in.
  package let roles: Set<Role>
  /// Whether those without a token are let in too.
  package let includesStrangers: Bool

  private init(_ roles: Set<Role>, includesStrangers: Bool = false) {
    // An admin may do everything that a person may do.
    self.roles = roles.union([.admin])
    self.includesStrangers = includesStrangers
  }

  private init(nobodyBut role: Role) {
    roles = [role]
    includesStrangers = false
  }

  /// Whether the audience includes a caller. Callers that need no token are always included.
  func includes(_ caller: Caller) -> Bool {
    if caller.isStranger { return includesStrangers }
    return caller.token == nil || roles.contains(caller.role)
  }

  /// Everybody: what tells nothing of the farm's work.
  package static let anyone = Audience(Set(Role.allCases), includesStrangers: true)
  /// Everybody with a token.
  package static let everyRole = Audience(Set(Role.allCases))
  /// Who submits jobs.
  package static let submitters = Audience([.submitter])
  /// Who looks at jobs: submitters at their own.
  package static let readers = Audience([.submitter, .observer])
  /// Who looks at the farm as a whole.
  package static let observers = Audience([.observer])
  /// Workers only. Their tokens are stored on many hosts, so a stolen one must give access to rendering alone. Admins
  /// are excluded so that their tokens are not stored on those hosts.
  package static let workers = Audience(nobodyBut: .worker)
  /// Who runs the farm.
  package static let admins = Audience([])
}

/// Who makes a request.
package struct Caller: Hashable, Sendable {
  /// The caller's role.
  package let role: Role
  /// The name of its token; `nil` if no token is needed.
  package let name: String?
  /// The token's id, or `nil`.
  package let token: String?
  /// Whether the caller is unknown, on a route for everybody.
  package var isStranger = false

  /// The caller on a coordinator that only its own host can reach.
  package static let local = Caller(role: .admin, name: nil, token: nil)
  /// Someone without a token.
  package static let stranger = Caller(
    role: .observer, name: nil, token: nil, isStranger: true)

  /// The submitter whose jobs and assets it is confined to; `nil` if it is not confined.
  package var confinement: String? { role == .submitter ? name : nil }

  /// Who it is, at the end of a line of the log.
  var inLog: String { name.map { " by \($0)" } ?? "" }
}
