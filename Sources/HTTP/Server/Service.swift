import Synchronization

/// What all exchanges of one server share.
final class Service: Sendable {
  let router: Router
  let uriLimit: Int
  let onError: @Sendable (any Error, RequestHead) -> Void
  let suspensions: Suspensions
  /// The exchanges that libmicrohttpd has not let go of yet.
  private let active = Mutex<[ObjectIdentifier: Exchange]>([:])

  init(
    router: Router, uriLimit: Int, onError: @escaping @Sendable (any Error, RequestHead) -> Void
  ) throws(ServerError) {
    self.router = router
    self.uriLimit = uriLimit
    self.onError = onError
    suspensions = try Suspensions()
  }

  func began(_ exchange: Exchange) {
    active.withLock { $0[ObjectIdentifier(exchange)] = exchange }
  }

  func ended(_ exchange: Exchange) {
    active.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(exchange)) }
  }

  /// The exchanges under way.
  var exchanges: [Exchange] { active.withLock { Array($0.values) } }
}
