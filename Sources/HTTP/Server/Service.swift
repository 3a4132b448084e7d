import Synchronization

/// The state that all exchanges of a server share.
final class Service: Sendable {
  let router: Router
  let limits: ServerLimits
  let security: ServerSecurity?
  /// The host names that the server serves; `nil` for any.
  let hosts: Set<String>?
  let onError: @Sendable (any Error, RequestHead) -> Void
  let onEnd: (@Sendable (FinishedExchange) -> Void)?
  let suspensions: Suspensions
  let connections: Connections
  /// The memory for bodies whose handlers need the entire body.
  let bodies: BodyBudget
  /// The exchanges that libmicrohttpd still uses.
  private let active = Mutex<[ObjectIdentifier: Exchange]>([:])

  init(
    router: Router, configuration: ServerConfiguration,
    onError: @escaping @Sendable (any Error, RequestHead) -> Void,
    onEnd: (@Sendable (FinishedExchange) -> Void)?,
    now: @escaping @Sendable () -> ContinuousClock.Instant
  ) throws(ServerError) {
    self.router = router
    limits = configuration.limits
    connections = Connections(
      configuration.limits, isSecure: configuration.security != nil, now: now)
    bodies = BodyBudget(limit: configuration.limits.bufferedBodyBytes)
    security = configuration.security
    hosts = configuration.hosts
    self.onError = onError
    self.onEnd = onEnd
    suspensions = try Suspensions()
  }

  func began(_ exchange: Exchange) {
    active.withLock { $0[ObjectIdentifier(exchange)] = exchange }
  }

  func ended(_ exchange: Exchange) {
    active.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(exchange)) }
  }

  /// The exchanges in progress.
  var exchanges: [Exchange] { active.withLock { Array($0.values) } }
}
