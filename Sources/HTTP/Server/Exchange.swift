import CMicroHTTPD
import Foundation
import Synchronization

/// A request and its response. It handles libmicrohttpd's callbacks for a connection.
///
/// libmicrohttpd calls ``advance(_:)`` for the head, then for each piece of the body, then at its end. While a task
/// runs, the connection is suspended. ``Phase`` is the state of the exchange.
///
/// `@unchecked`: the mutex protects all mutable state. libmicrohttpd's pointers in it are used as described at
/// ``Suspensions``.
final class Exchange: @unchecked Sendable {
  /// The arguments of libmicrohttpd's callback.
  struct Call {
    let connection: OpaquePointer
    /// The method and the version, as pointers into the head.
    let method: UnsafePointer<CChar>
    let version: UnsafePointer<CChar>
    /// The next piece of the body; empty for the head and at the end.
    let piece: UnsafeRawBufferPointer
  }

  /// The destination of a body's bytes.
  private enum Destination {
    case buffer(limit: Int, @Sendable (Request) async throws -> Response)
    case sink(Router.Upload)
  }

  private enum Phase {
    case awaitingHead
    /// A task decides whether the upload is accepted.
    case opening(Suspensions.Suspension, Task<Void, Never>)
    case opened(Router.Upload)
    case refused(Response)
    case receiving(Destination)
    /// The rest of the body, at most `left` bytes, is discarded before the response is sent.
    case discarding(Response, left: Int)
    /// A task creates the response.
    case responding(Suspensions.Suspension, Task<Void, Never>)
    case ready(Response)
    case done
  }

  private struct State {
    var phase = Phase.awaitingHead
    var head: RequestHead?
    /// The part of the body that has arrived, if the handler needs the entire body.
    var body = Data()
    /// The share of the server's budget that `body` uses.
    var share: BodyBudget.Share?
    /// The pattern of the route.
    var template: String?
    /// The response that was queued.
    var answer: Answer?
    /// Whether the end of the exchange was reported.
    var isReported = false
  }

  /// The facts about a response that are known when it is queued.
  private struct Answer {
    let status: Status
    let latency: Duration
    /// Counts the bytes of the content.
    let count: @Sendable () -> Int64
    /// The use of the file that is being sent, until the exchange has ended.
    var use: OpenFile.Use?
  }

  /// How many bytes of an unwanted body are read so that the client receives the response. A client that is still
  /// sending when the connection is closed may not receive it.
  private static let discardLimit = 64 << 20

  private let state = Mutex(State())
  private let start = ContinuousClock.now
  private let target: String
  /// The length of the request target in the head, in bytes.
  private let targetLength: Int
  let service: Service

  init(target: UnsafePointer<CChar>, service: Service) {
    self.target = String(cString: target)
    targetLength = strlen(target)
    self.service = service
  }

  /// Handles a call from libmicrohttpd. `MHD_NO` closes the connection.
  func advance(_ call: Call) -> MHD_Result {
    state.withLock { state in
      switch state.phase {
      case .awaitingHead:
        return begin(call, &state)
      case .opened(let upload):
        service.connections.note(.receiving, call.connection)
        state.phase = .receiving(.sink(upload))
        return .YES
      case .receiving(let destination):
        return call.piece.isEmpty
          ? respond(from: destination, call, &state) : receive(call, destination, &state)
      case .discarding(let response, let left):
        if call.piece.isEmpty { return queue(response, call, &state) }
        guard call.piece.count <= left else { return .NO }
        state.phase = .discarding(response, left: left - call.piece.count)
        return .YES
      case .refused(let response):
        return refuse(response, call, &state)
      case .ready(let response):
        return queue(response, call, &state)
      case .opening, .responding, .done:
        return .NO
      }
    }
  }

  /// Ends the exchange after the connection has finished or abandoned the request.
  func finish() {
    let last = state.withLock { state in
      defer { state.phase = .done }
      Self.dropBody(&state)
      state.answer?.use = nil
      return state.phase
    }
    report()
    switch last {
    case .receiving(.sink(let upload)), .opened(let upload): upload.sink.abandon()
    case .opening(_, let task), .responding(_, let task): task.cancel()
    default: break
    }
  }
}

extension Exchange {
  /// Passes the exchange to the service's observer, once.
  private func report() {
    guard let onEnd = service.onEnd else { return }
    let record: FinishedExchange? = state.withLock { state in
      guard let head = state.head, !state.isReported else { return nil }
      state.isReported = true
      return FinishedExchange(
        head: head, template: state.template, status: state.answer?.status,
        byteCount: state.answer?.count() ?? 0, latency: state.answer?.latency,
        duration: ContinuousClock.now - start)
    }
    if let record { onEnd(record) }
  }
}

// MARK: - The head

extension Exchange {
  private func begin(_ call: Call, _ state: inout State) -> MHD_Result {
    let parsed = RequestTarget(parsing: target)
    guard let blank = RequestTarget(parsing: "/") else { return .NO }
    let method = String(cString: call.method)
    var head = RequestHead(
      reading: call.connection, method: Method(rawValue: method), target: parsed ?? blank)
    if let security = service.security {
      head.isSecure = true
      head.hasTrustedCertificate =
        security.clientAuthority != nil && sheaf_mhd_has_trusted_certificate(call.connection) != 0
    }
    state.head = head
    service.connections.note(.receiving, call.connection)
    // The bytes after a malformed head are not read, because their meaning is unknown.
    if let error = malformation(of: head, method, call) {
      return queue(.problem(error), call, &state)
    }
    if let error = service.connections.refusal(of: head.peer)
      ?? service.refusal(of: head, target: target)
    {
      return refuse(.problem(error), call, &state)
    }
    guard parsed != nil else {
      let error = HTTPError(.badRequest, detail: "the request target is invalid")
      return refuse(.problem(error), call, &state)
    }
    guard !service.suspensions.isClosed else {
      return refuse(.problem(.shuttingDown), call, &state)
    }
    switch service.router.match(head) {
    case .found(let route, let parameters):
      head.parameters = parameters
      state.head = head
      state.template = route.template
      do {
        try route.admit(head)
      } catch {
        return refuse(.failure(error, head, service.onError), call, &state)
      }
      return begin(route.handler, head, call, &state)
    case let refusal:
      return refuse(.problem(HTTPError(refusing: refusal, head)), call, &state)
    }
  }

  /// The error for an ambiguous head.
  private func malformation(
    of head: RequestHead, _ method: String, _ call: Call
  ) -> HTTPError? {
    let layout = HeadLayout(
      connection: call.connection, method: call.method, version: call.version,
      targetLength: targetLength)
    guard layout.isExact else {
      return .malformed(
        "a header line does not end in CR LF, is folded, or contains a NUL or extra spaces")
    }
    return RequestRules(
      method: method, target: target, version: String(cString: call.version),
      headers: head.headers
    ).refusal
  }

  private func begin(
    _ handler: Router.Handler, _ head: RequestHead, _ call: Call, _ state: inout State
  ) -> MHD_Result {
    switch handler {
    case .buffered(let limit, let respond):
      guard head.contentLength ?? 0 <= Int64(limit) else {
        return refuse(.problem(.tooLarge(limit: limit)), call, &state)
      }
      state.phase = .receiving(.buffer(limit: limit, respond))
      return .YES
    case .upload(let open):
      let isWaiting = suspend(call, &state, phase: Phase.opening) { [service] in
        do {
          let upload = try await open(head)
          self.resolve(.opened(upload))
        } catch {
          self.resolve(.refused(.failure(error, head, service.onError)))
        }
      }
      return isWaiting ? .YES : refuse(.problem(.shuttingDown), call, &state)
    }
  }

  /// Rejects the request. If the client waits for permission to send its body, or if the body is long, the response is
  /// sent immediately, which closes the connection. Otherwise it is sent after the body has been read.
  private func refuse(_ response: Response, _ call: Call, _ state: inout State) -> MHD_Result {
    guard let head = state.head, let length = head.contentLength,
      length <= Self.discardLimit, !head.expectsContinue
    else { return queue(response, call, &state) }
    state.phase = .discarding(response, left: Int(length))
    return .YES
  }
}

// MARK: - The body

extension Exchange {
  private func receive(
    _ call: Call, _ destination: Destination, _ state: inout State
  ) -> MHD_Result {
    switch destination {
    case .buffer(let limit, _):
      if let error = refusal(of: call.piece, limit: limit, &state) {
        Self.dropBody(&state)
        state.phase = .discarding(.problem(error), left: Self.discardLimit)
      } else {
        state.body.append(contentsOf: call.piece)
      }
    case .sink(let upload):
      do {
        try upload.sink.write(call.piece)
      } catch {
        upload.sink.abandon()
        let response = state.head.map { Response.failure(error, $0, service.onError) }
        guard let response else { return .NO }
        state.phase = .discarding(response, left: Self.discardLimit)
      }
    }
    return .YES
  }

  /// The error for a piece of a body that exceeds a limit.
  private func refusal(
    of piece: UnsafeRawBufferPointer, limit: Int, _ state: inout State
  ) -> HTTPError? {
    guard state.body.count + piece.count <= limit else { return .tooLarge(limit: limit) }
    let share = state.share ?? BodyBudget.Share(of: service.bodies)
    state.share = share
    return share.grow(by: piece.count) ? nil : .bodiesTooLarge(limit: service.bodies.limit)
  }

  /// Releases the part of a body that has arrived.
  private static func dropBody(_ state: inout State) {
    state.body = Data()
    state.share?.release()
    state.share = nil
  }

  private func respond(
    from destination: Destination, _ call: Call, _ state: inout State
  ) -> MHD_Result {
    guard let head = state.head else { return .NO }
    let respond: @Sendable () async throws -> Response
    switch destination {
    case .buffer(_, let handler):
      // The handler owns the body now. The body counts until the handler ends, even if the client disconnects earlier.
      let (body, share) = (state.body, state.share)
      (state.body, state.share) = (Data(), nil)
      respond = {
        defer { share?.release() }
        return try await handler(Request(head: head, body: body))
      }
    case .sink(let upload): respond = upload.respond
    }
    let isWaiting = suspend(call, &state, phase: Phase.responding) { [service] in
      do {
        self.resolve(.ready(try await respond().compressed(for: head.headers)))
      } catch {
        self.resolve(.ready(.failure(error, head, service.onError)))
      }
    }
    if isWaiting { return .YES }
    if case .sink(let upload) = destination { upload.sink.abandon() }
    return queue(.problem(.shuttingDown), call, &state)
  }
}

// MARK: - Waiting

extension Exchange {
  /// Suspends the connection while a task runs `work`. Returns false if the server is shutting down.
  private func suspend(
    _ call: Call, _ state: inout State,
    phase: (Suspensions.Suspension, Task<Void, Never>) -> Phase,
    _ work: @escaping @Sendable () async -> Void
  ) -> Bool {
    let suspension = service.suspensions.suspend(call.connection) { [weak self] _ in
      self?.cancelTask()
    }
    guard let suspension else { return false }
    service.connections.note(.atWork, call.connection)
    state.phase = phase(suspension, Task { await work() })
    return true
  }

  /// Resumes the connection in `phase`.
  private func resolve(_ phase: Phase) {
    let unwanted: Router.Upload? = state.withLock { state in
      switch state.phase {
      case .opening(let suspension, _), .responding(let suspension, _):
        state.phase = phase
        service.suspensions.resume(suspension)
        return nil
      default:
        if case .opened(let upload) = phase { return upload }
        return nil
      }
    }
    unwanted?.sink.abandon()
  }

  private func cancelTask() {
    let task: Task<Void, Never>? = state.withLock { state in
      switch state.phase {
      case .opening(_, let task), .responding(_, let task): task
      default: nil
      }
    }
    task?.cancel()
  }

  /// Responds to a request whose handler does not end, so that the server can stop.
  func giveUp() {
    resolve(.ready(.problem(.shuttingDown)))
  }

  private func queue(_ response: Response, _ call: Call, _ state: inout State) -> MHD_Result {
    state.phase = .done
    if case .events = response.body {
      service.connections.note(.atWork, call.connection)
    } else {
      service.connections.note(.sending, call.connection)
    }
    let method = Method(rawValue: String(cString: call.method))
    let writer = ResponseWriter(
      connection: call.connection, suspensions: service.suspensions,
      isSecure: service.security != nil)
    let (result, count) = writer.queue(response, method: method)
    if result == .YES {
      state.answer = Answer(
        status: response.status, latency: ContinuousClock.now - start, count: count,
        use: response.body.file?.use)
    }
    return result
  }
}
