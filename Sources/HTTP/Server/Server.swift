import Foundation
import Synchronization
import Threads

/// An HTTP/1.1 server over libmicrohttpd, with a pool of epoll threads and a task for each request.
///
/// While a handler runs, its connection is suspended, so long polls and event streams do not occupy threads. A
/// handler's task is cancelled when its client disconnects and when the server shuts down.
public final class Server: Sendable {
  /// The port on which the server listens.
  public let port: UInt16
  /// The daemon, or `nil` after it has been stopped.
  private let daemon: Mutex<Daemon?>

  /// Starts a server. It is listening when this initializer returns.
  ///
  /// - Parameters:
  ///   - onError: receives each ``HTTPError`` with a 5xx status other than 503, and every other error of a
  ///     handler. Clients do not see the details of the latter.
  ///   - onEnd: receives each request when the server has finished with it. It runs on the server's threads, and must not
  ///     block.
  ///   - now: the time by which clients are found too slow.
  public init(
    _ configuration: ServerConfiguration, router: Router,
    onError: @escaping @Sendable (any Error, RequestHead) -> Void = { _, _ in },
    onEnd: (@Sendable (FinishedExchange) -> Void)? = nil,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) throws(ServerError) {
    let service = try Service(
      router: router, configuration: configuration, onError: onError, onEnd: onEnd, now: now)
    let socket =
      if let descriptor = configuration.descriptor {
        try ListeningSocket(adopting: descriptor)
      } else {
        try ListeningSocket(address: configuration.address, port: configuration.port)
      }
    port = socket.port
    let descriptor = socket.release()
    daemon = Mutex(try Daemon(configuration, service: service, listeningOn: descriptor))
  }

  deinit {
    guard let daemon = daemon.withLock({ $0.take() }) else { return }
    BlockingThread.start(named: "http-stop") { daemon.stop(grace: .zero) }
  }

  /// Serves a connection that was accepted elsewhere, as if it came from `client`. Takes over the socket, which must
  /// not block.
  func adopt(_ socket: Int32, from client: SocketPlace) {
    daemon.withLock { daemon in
      guard let daemon else {
        close(socket)
        return
      }
      daemon.adopt(socket, from: client)
    }
  }

  /// Stops the server: rejects new requests with 503, ends event streams, cancels handlers, and waits for open
  /// requests.
  ///
  /// Requests that are still open after `grace` receive a 503 or a closed connection. Further calls return immediately.
  public func shutdown(grace: Duration = .seconds(5)) async {
    guard let daemon = daemon.withLock({ $0.take() }) else { return }
    try? await BlockingThread.run(named: "http-stop") { daemon.stop(grace: grace) }
  }
}
