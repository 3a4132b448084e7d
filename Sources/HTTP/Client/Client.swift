import Foundation
import Synchronization

/// An HTTP/1.1 client over libcurl. Its transfers share one thread and a pool of connections.
///
/// Redirects are not followed, and only `http` and `https` are supported. A request is sent once: if the connection
/// breaks, the caller decides whether to send it again. If no connection can be opened, it is sent to the client's next
/// server. Cancelling the task of a call cancels its transfer.
public final class Client: Sendable {
  /// The servers of requests whose URL begins with a slash.
  public let servers: ServerAddresses
  private let loop: TransferLoop
  let blockingHandles = HandlePool()
  private let current: Mutex<Transfer.Settings>
  private let answerTimeout: Duration

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - servers: the servers of requests whose URL begins with a slash.
  ///   - credentials: the credentials that every request presents. Use a client for one service only.
  ///   - connectTimeout: how long a connection to one address may take to open.
  ///   - stallTimeout: how long an exchange may be slower than `slowestRate`. It must exceed the longest long poll.
  ///   - slowestRate: the rate that counts as progress, in bytes per second in both directions together.
  ///   - answerTimeout: the time limit of ``send(_:)`` for requests that state none.
  public init(
    to servers: ServerAddresses = ServerAddresses(), userAgent: String = "sheaf",
    credentials: Credentials = Credentials(), connectTimeout: Duration = .seconds(10),
    stallTimeout: Duration = .seconds(60), slowestRate: Int = 1,
    answerTimeout: Duration = .seconds(30)
  ) {
    self.servers = servers
    self.answerTimeout = answerTimeout
    current = Mutex(
      Transfer.Settings(
        userAgent: userAgent, credentials: credentials, connectTimeout: connectTimeout,
        stallTimeout: stallTimeout, slowestRate: slowestRate))
    loop = TransferLoop()
    loop.start()
  }

  deinit {
    loop.close()
  }

  /// The settings for new transfers.
  var settings: Transfer.Settings { current.withLock { $0 } }

  /// Reads the token file again for later requests. Blocks.
  ///
  /// - Returns: whether the token changed. If the file contains no token, the client keeps the old one.
  public func readTokenAgain() -> Bool {
    guard let path = settings.credentials.tokenFile, let token = BearerToken(file: path) else {
      return false
    }
    return current.withLock { settings in
      defer { settings.credentials.token = token }
      return settings.credentials.token != token
    }
  }

  /// Sends `request` and returns the response with its body. A response with an error status does not throw.
  ///
  /// - Throws: ``ClientError``, or `CancellationError`.
  public func send(_ request: ClientRequest) async throws -> ClientResponse {
    var request = request
    request.timeout = request.timeout ?? answerTimeout
    return try await run(request) { request, settings in
      try Transfer(
        request, on: EasyHandle(), settings: settings, receiver: MemoryReceiver(request))
    }
  }

  /// Sends a GET request and checks that the response has the status 200.
  ///
  /// - Parameters:
  ///   - url: see ``ClientRequest/url``.
  ///   - pin: see ``ClientRequest/pin``.
  /// - Throws: ``ClientError``, ``UnexpectedStatus``, or `CancellationError`.
  public func expectSuccess(
    _ url: String, pin: PinnedHost? = nil, timeout: Duration = .seconds(5)
  ) async throws {
    let response = try await send(ClientRequest(.get, url, timeout: timeout, pin: pin))
    guard response.status == .ok else {
      throw UnexpectedStatus(
        url: response.url, status: response.status,
        body: String(decoding: response.body.prefix(1024), as: UTF8.self))
    }
  }

  /// Sends `length` bytes of the file at `path` from `offset`, or the rest of the file, as the body of `request`.
  ///
  /// - Parameter progress: called on the client's thread with the number of bytes sent so far.
  /// - Throws: ``ClientError``, or `CancellationError`.
  public func upload(
    _ request: ClientRequest, file path: String, offset: Int64 = 0, length: Int64? = nil,
    progress: (@Sendable (Int64) -> Void)? = nil
  ) async throws -> ClientResponse {
    try await run(request) { request, settings in
      let source = try FileSource(
        path: path, offset: offset, length: length, url: request.url, progress: progress)
      return try Transfer(
        request, on: EasyHandle(), settings: settings, source: source,
        receiver: MemoryReceiver(request))
    }
  }

  /// Writes the content of the response into the file at `path`.
  ///
  /// With an `offset`, the client requests only the bytes after it, and truncates the file there first. If the server
  /// sends the entire content instead (200), the file is written from its start. A response other than 200 and 206
  /// leaves the file unchanged, and its body is in memory.
  ///
  /// - Parameter progress: called on the client's thread with the size of the file so far.
  /// - Throws: ``ClientError``, or `CancellationError`. The bytes that arrived before the error are in the file.
  public func download(
    _ request: ClientRequest, to path: String, from offset: Int64 = 0,
    progress: (@Sendable (Int64) -> Void)? = nil
  ) async throws -> ClientResponse {
    var request = request
    if offset > 0 { request.headers["Range"] = "bytes=\(offset)-" }
    return try await run(request) { request, settings in
      let receiver = FileReceiver(path: path, offset: offset, url: request.url, progress: progress)
      return try Transfer(request, on: EasyHandle(), settings: settings, receiver: receiver)
    }
  }

  /// Passes the content of the response to a sink as it arrives.
  ///
  /// - Parameter choose: returns the sink for a response with this head. An error ends the transfer. Called on the
  ///   client's thread, like the sink.
  /// - Returns: the response without its content.
  /// - Throws: ``ClientError``, an error of `choose` or the sink, or `CancellationError`. The sink is abandoned soon
  ///   after.
  public func receive(
    _ request: ClientRequest,
    into choose: @escaping @Sendable (ClientResponse) throws -> any BodySink
  ) async throws -> ClientResponse {
    try await run(request) { request, settings in
      try Transfer(request, on: EasyHandle(), settings: settings, receiver: SinkReceiver(choose))
    }
  }

  /// Returns the events that the server sends in response to `request`, until the response ends.
  ///
  /// The connection is closed when the iteration stops. The stream throws ``ClientError`` if the connection breaks or
  /// the response is not an event stream.
  public func events(_ request: ClientRequest) -> AsyncThrowingStream<ServerSentEvent, any Error> {
    AsyncThrowingStream { continuation in
      var request = request
      request.headers["Accept"] = "text/event-stream"
      // The task keeps the client and its thread alive until the stream has ended.
      let task = Task { [self, request] in
        do {
          _ = try await run(request) { request, settings in
            let receiver = EventReceiver(url: request.url) { continuation.yield($0) }
            return try Transfer(request, on: EasyHandle(), settings: settings, receiver: receiver)
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Sends a request to the first address to which a connection opens.
  ///
  /// - Parameter transfer: creates the transfer of the request to one address.
  private func run(
    _ request: ClientRequest, _ transfer: (ClientRequest, Transfer.Settings) throws -> Transfer
  ) async throws -> ClientResponse {
    var route = ServerRoute(request, to: servers, with: settings)
    let begin = ContinuousClock.now
    while true {
      let leg = route.leg(after: begin.duration(to: .now))
      do {
        let response = try await perform(transfer(leg.request, leg.settings))
        route.received(response)
        return response
      } catch let error as ClientError {
        try route.goOn(after: error)
      }
    }
  }

  private func perform(_ transfer: Transfer) async throws -> ClientResponse {
    let cancellation = TransferCancellation(loop)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let ticket = TransferLoop.Ticket { continuation.resume(with: $0) }
        loop.run(transfer, ticket)
        cancellation.began(ticket)
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}
