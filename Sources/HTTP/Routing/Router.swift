import Foundation

/// The routes of a server, which select the handler for a method and path.
public struct Router: Sendable {
  /// The handler of a route.
  enum Handler: Sendable {
    case buffered(limit: Int, @Sendable (Request) async throws -> Response)
    case upload(@Sendable (RequestHead) async throws -> Upload)
  }

  /// An admitted upload: the sink for its bytes, and the handler that responds when all have arrived.
  struct Upload: Sendable {
    let sink: any BodySink
    let respond: @Sendable () async throws -> Response
  }

  /// Checks a request before its body is read, and rejects it by throwing ``HTTPError``.
  ///
  /// Runs on the server's threads, and must not block.
  public typealias Admission = @Sendable (RequestHead) throws -> Void

  struct Route: Sendable {
    let method: Method
    /// The pattern as it was given, such as `/jobs/{id}`.
    let template: String
    let pattern: PathPattern
    let admit: Admission
    let handler: Handler
  }

  enum Match {
    case found(Route, parameters: [String: String])
    case methodNotAllowed([Method])
    case notFound
  }

  /// The default size limit of bodies, in bytes.
  public static let defaultBodyLimit = 1 << 20

  private var routes: [Route] = []

  /// Creates a router without routes.
  public init() {}

  /// Handles `method` on `pattern` with `handler`, which receives the entire body.
  ///
  /// - Parameters:
  ///   - pattern: a path whose segments in braces are parameters, such as `/jobs/{id}`. If two patterns match, the one
  ///     with the earlier literal has priority.
  ///   - bodyLimit: the size limit of the body in bytes. A larger body is rejected with 413.
  ///   - admit: decides from the head whether the request is accepted.
  public mutating func on(
    _ method: Method, _ pattern: String, bodyLimit: Int = defaultBodyLimit,
    admit: @escaping Admission = { _ in },
    _ handler: @escaping @Sendable (Request) async throws -> Response
  ) {
    add(method, pattern, admit, .buffered(limit: bodyLimit, handler))
  }

  /// Handles `method` on `pattern` with `handler` after the entire body has been written to the sink that `open`
  /// returned.
  ///
  /// `admit` and then `open` run before the body is requested, and can reject it by throwing ``HTTPError``. If the body
  /// is incomplete, the sink is abandoned and `handler` does not run.
  public mutating func upload<Sink: BodySink>(
    _ method: Method, _ pattern: String, admit: @escaping Admission = { _ in },
    open: @escaping @Sendable (RequestHead) async throws -> Sink,
    _ handler: @escaping @Sendable (RequestHead, Sink) async throws -> Response
  ) {
    add(
      method, pattern, admit,
      .upload { head in
        let sink = try await open(head)
        return Upload(sink: sink) { try await handler(head, sink) }
      })
  }

  private mutating func add(
    _ method: Method, _ pattern: String, _ admit: @escaping Admission, _ handler: Handler
  ) {
    let route = Route(
      method: method, template: pattern, pattern: PathPattern(pattern), admit: admit,
      handler: handler)
    let place = routes.firstIndex { route.pattern.precedes($0.pattern) } ?? routes.endIndex
    routes.insert(route, at: place)
  }

  /// The route for `head`. `HEAD` falls back to `GET`.
  func match(_ head: RequestHead) -> Match {
    var fitting: [(route: Route, parameters: [String: String])] = []
    for route in routes {
      if let parameters = route.pattern.match(head.segments) { fitting.append((route, parameters)) }
    }
    guard !fitting.isEmpty else { return .notFound }
    let found =
      fitting.first { $0.route.method == head.method }
      ?? (head.method == .head ? fitting.first { $0.route.method == .get } : nil)
    if let found { return .found(found.route, parameters: found.parameters) }
    var allowed: [Method] = []
    for (route, _) in fitting where !allowed.contains(route.method) {
      allowed.append(route.method)
      if route.method == .get, !fitting.contains(where: { $0.route.method == .head }) {
        allowed.append(.head)
      }
    }
    return .methodNotAllowed(allowed)
  }
}

extension Router {
  /// Handles `GET` on `pattern`, and `HEAD` with the same headers.
  public mutating func get(
    _ pattern: String, _ handler: @escaping @Sendable (Request) async throws -> Response
  ) {
    on(.get, pattern, handler)
  }

  /// Handles `POST` on `pattern`.
  public mutating func post(
    _ pattern: String, bodyLimit: Int = defaultBodyLimit,
    _ handler: @escaping @Sendable (Request) async throws -> Response
  ) {
    on(.post, pattern, bodyLimit: bodyLimit, handler)
  }

  /// Handles `PUT` on `pattern`.
  public mutating func put(
    _ pattern: String, bodyLimit: Int = defaultBodyLimit,
    _ handler: @escaping @Sendable (Request) async throws -> Response
  ) {
    on(.put, pattern, bodyLimit: bodyLimit, handler)
  }

  /// Handles `DELETE` on `pattern`.
  public mutating func delete(
    _ pattern: String, _ handler: @escaping @Sendable (Request) async throws -> Response
  ) {
    on(.delete, pattern, handler)
  }

  /// Handles `HEAD` on `pattern` separately from `GET`.
  public mutating func head(
    _ pattern: String, _ handler: @escaping @Sendable (Request) async throws -> Response
  ) {
    on(.head, pattern, handler)
  }
}
