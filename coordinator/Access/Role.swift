/// A role, which decides what the holder of a token may do.
package enum Role: String, Hashable, Codable, Sendable, CaseIterable {
  /// Submits jobs, and sees and cancels its own jobs.
  case submitter = "submitter"
  /// Renders segments.
  case worker = "worker"
  /// Sees everything and changes nothing.
  case observer = "observer"
  /// May do everything except render.
  case admin = "admin"
}

/// The callers that a route admits. Every route declares its audience; no route is public by omission.
package struct Audience: Hashable, Sendable {
  /// The roles that the audience includes.
  package let roles: Set<Role>
  /// Whether the audience also includes callers without a token.
  package let includesStrangers: Bool

  private init(_ roles: Set<Role>, includesStrangers: Bool = false) {
    // Admins may do everything that users of other roles may do.
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

  /// Everyone, for routes that reveal nothing about the farm's work.
  package static let anyone = Audience(Set(Role.allCases), includesStrangers: true)
  /// Everyone with a token.
  package static let everyRole = Audience(Set(Role.allCases))
  /// Callers that may submit jobs.
  package static let submitters = Audience([.submitter])
  /// Callers that may see jobs. Submitters see only their own.
  package static let readers = Audience([.submitter, .observer])
  /// Callers that may see the whole farm.
  package static let observers = Audience([.observer])
  /// Workers only. Their tokens are stored on many hosts, so a stolen one must give access only to rendering. Admins
  /// are excluded so that their tokens are not stored on those hosts.
  package static let workers = Audience(nobodyBut: .worker)
  /// The operators of the farm.
  package static let admins = Audience([])
}

/// The caller of a request.
package struct Caller: Hashable, Sendable {
  package let role: Role
  /// The name of the caller's token, or `nil` if no token is required.
  package let name: String?
  /// The token's id, or `nil`.
  package let token: String?
  /// Whether the caller has no token although the coordinator requires one. Only public routes admit such callers.
  package let isStranger: Bool

  package init(role: Role, name: String?, token: String?, isStranger: Bool = false) {
    self.role = role
    self.name = name
    self.token = token
    self.isStranger = isStranger
  }

  /// The caller on a coordinator that only its own host can reach.
  package static let local = Caller(role: .admin, name: nil, token: nil)
  /// A caller without a token.
  package static let stranger = Caller(
    role: .observer, name: nil, token: nil, isStranger: true)

  /// The submitter whose jobs and assets the caller is confined to, or `nil` if the caller is not confined.
  package var confinement: String? { role == .submitter ? name : nil }
}
