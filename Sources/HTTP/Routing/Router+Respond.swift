import Foundation

extension Router {
  /// The response to `request`, without a socket: what the server would send.
  ///
  /// Errors become problem documents; those that are the server's own fault go to `onError` first.
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
  /// The response that tells a client of `error`, without the insides of errors that were not meant for it.
  static func failure(
    _ error: any Error, _ head: RequestHead, _ onError: (any Error, RequestHead) -> Void
  ) -> Response {
    switch error {
    case let error as HTTPError:
      // A 503 tells the client to come back and is not a fault; other server errors need an operator's attention.
      if error.status.rawValue >= 500, error.status != .serviceUnavailable { onError(error, head) }
      return .problem(error)
    case is CancellationError:
      return .problem(.shuttingDown)
    default:
      onError(error, head)
      return .problem(
        HTTPError(
          .internalServerError, detail: "the server failed on this request; see its log"))
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

  /// The refusal of a request that no route takes.
  init(refusing match: Router.Match, _ head: RequestHead) {
    if case .methodNotAllowed(let allowed) = match {
      let list = allowed.map(\.rawValue).joined(separator: ", ")
      self.init(
        .methodNotAllowed, detail: "\(head.path) takes \(list), not \(head.method)",
        headers: ["Allow": list])
    } else {
      self.init(.notFound, detail: "there is nothing at \(head.path)")
    }
  }
}
