import Foundation

/// The routes of a server: which handler answers which method and path.
public struct Router: Sendable {
  /// The handler of a route.
  enum Handler: Sendable {
    case buffered(limit: Int, @Sendable (Request) async throws -> Response)
    case upload(@Sendable (RequestHead) async throws -> Upload)
  }

  /// An upload that was let in: where its bytes go, and what answers when they are all there.
  struct Upload: Sendable {
    let sink: any BodySink
    let respond: @Sendable () async throws -> Response
  }

  /// Looks at a request before its body is read, and refuses it by throwing ``HTTPError``.
  ///
  /// It runs on the server's own threads, and must not wait.
  public typealias Admission = @Sendable (RequestHead) throws -> Void

  struct Route: Sendable {
    let method: Method
    let pattern: PathPattern
    let admit: Admission
    let handler: Handler
  }

  enum Match {
    case found(Route, parameters: [String: String])
    case methodNotAllowed([Method])
    case notFound
  }

  /// The largest body of a route that does not say another.
  public static let defaultBodyLimit = 1 << 20

  private var routes: [Route] = []

  /// No routes.
  public init() {}

  /// Answers `method` on `pattern` with `handler`, which gets the whole body.
  ///
  /// - Parameters:
  ///   - pattern: a path whose segments in braces are parameters: `/jobs/{id}`. Where two patterns fit, the one
  ///     with the earlier literal wins.
  ///   - bodyLimit: the largest body in bytes; a larger one is refused with 413.
  ///   - admit: decides by the head whether the request may come at all.
  public mutating func on(
    _ method: Method, _ pattern: String, bodyLimit: Int = defaultBodyLimit,
    admit: @escaping Admission = { _ in },
    _ handler: @escaping @Sendable (Request) async throws -> Response
  ) {
    add(method, pattern, admit, .buffered(limit: bodyLimit, handler))
  }

  /// Answers `method` on `pattern` with `handler` after the body went into the sink that `open` made.
  ///
  /// `admit` and then `open` run before the body is asked for and may refuse it by throwing ``HTTPError``. When the
  /// body breaks off, the sink is abandoned and `handler` does not run.
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
      method: method, pattern: PathPattern(pattern), admit: admit, handler: handler)
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
  /// Answers `GET`, and `HEAD` with the same headers, on `pattern`.
  public mutating func get(
    _ pattern: String, _ handler: @escaping @Sendable (Request) async throws -> Response
  ) {
    on(.get, pattern, handler)
  }

  /// Answers `POST` on `pattern`.
  public mutating func post(
    _ pattern: String, bodyLimit: Int = defaultBodyLimit,
    _ handler: @escaping @Sendable (Request) async throws -> Response
  ) {
    on(.post, pattern, bodyLimit: bodyLimit, handler)
  }

  /// Answers `PUT` on `pattern`.
  public mutating func put(
    _ pattern: String, bodyLimit: Int = defaultBodyLimit,
    _ handler: @escaping @Sendable (Request) async throws -> Response
  ) {
    on(.put, pattern, bodyLimit: bodyLimit, handler)
  }

  /// Answers `DELETE` on `pattern`.
  public mutating func delete(
    _ pattern: String, _ handler: @escaping @Sendable (Request) async throws -> Response
  ) {
    on(.delete, pattern, handler)
  }

  /// Answers `HEAD` on `pattern`, where `GET` is to be answered otherwise.
  public mutating func head(
    _ pattern: String, _ handler: @escaping @Sendable (Request) async throws -> Response
  ) {
    on(.head, pattern, handler)
  }
}
