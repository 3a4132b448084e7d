import Foundation

extension Router {
  /// Returns the response that a server would send to `request`, without a socket.
  ///
  /// Errors become problem documents. Errors that are the server's fault are passed to `onError` first.
  public func respond(
    to request: Request, onError: (any Error, RequestHead) -> Void = { _, _ in }
  ) async -> Response {
    var head = request.head
    do {
      switch match(head) {
      case .found(let route, let parameters):
        head.parameters = parameters
        try route.admit(head)
        return try await respond(to: Request(head: head, body: request.body), by: route.handler)
      case let refusal:
        throw HTTPError(refusing: refusal, head)
      }
    } catch {
      return .failure(error, head, onError)
    }
  }

  private func respond(to request: Request, by handler: Handler) async throws -> Response {
    switch handler {
    case .buffered(let limit, let respond):
      guard request.body.count <= limit else { throw HTTPError.tooLarge(limit: limit) }
      return try await respond(request)
    case .upload(let open):
      let upload = try await open(request.head)
      do {
        try request.body.withUnsafeBytes { if !$0.isEmpty { try upload.sink.write($0) } }
      } catch {
        upload.sink.abandon()
        throw error
      }
      return try await upload.respond()
    }
  }
}

extension Response {
  /// Creates the response for `error`. It reveals the details only of errors that are meant for the client.
  static func failure(
    _ error: any Error, _ head: RequestHead, _ onError: (any Error, RequestHead) -> Void
  ) -> Response {
    switch error {
    case let error as HTTPError:
      // A 503 asks the client to come back and is not a fault. Other server errors need an operator's attention.
      if error.status.rawValue >= 500, error.status != .serviceUnavailable { onError(error, head) }
      return .problem(error)
    case is CancellationError:
      return .problem(.shuttingDown)
    default:
      onError(error, head)
      return .problem(
        HTTPError(
          .internalServerError, detail: "the server could not process the request: see its log"))
    }
  }
}

extension HTTPError {
  static func tooLarge(limit: Int) -> HTTPError {
    HTTPError(.contentTooLarge, detail: "the body is larger than \(limit) bytes")
  }

  static let shuttingDown = HTTPError(
    .serviceUnavailable, detail: "the server is shutting down: try again",
    headers: ["Retry-After": "1", "Connection": "close"])

  /// Creates the error for a request that matches no route.
  init(refusing match: Router.Match, _ head: RequestHead) {
    if case .methodNotAllowed(let allowed) = match {
      let list = allowed.map(\.rawValue).joined(separator: ", ")
      self.init(
        .methodNotAllowed, detail: "\(head.path) accepts \(list), not \(head.method)",
        headers: ["Allow": list])
    } else {
      self.init(.notFound, detail: "there is nothing at \(head.path)")
    }
  }
}
