import Foundation
import Synchronization

/// An HTTP/1.1 server over libmicrohttpd: a pool of epoll threads, and a task for each request.
///
/// While a handler runs its connection is suspended, so that long polls and event streams cost no thread. A handler's
/// task is cancelled when its client leaves and when the server shuts down.
public final class Server: Sendable {
  /// The port on which the server listens.
  public let port: UInt16
  /// The daemon until it is stopped.
  private let daemon: Mutex<Daemon?>

  /// A server that listens when this returns.
  ///
  /// - Parameter onError: gets the errors of handlers that are no ``HTTPError``, of which the client only learns that
  ///   there was one, and those of a 5xx status other than 503.
  public init(
    _ configuration: ServerConfiguration, router: Router,
    onError: @escaping @Sendable (any Error, RequestHead) -> Void = { _, _ in }
  ) throws(ServerError) {
    let service = try Service(router: router, configuration: configuration, onError: onError)
    let socket = try ListeningSocket(address: configuration.address, port: configuration.port)
    port = socket.port
    let descriptor = socket.release()
    daemon = Mutex(try Daemon(configuration, service: service, listeningOn: descriptor))
  }

  deinit {
    guard let daemon = daemon.withLock({ $0.take() }) else { return }
    Thread.detachNewThread { daemon.stop(grace: .zero) }
  }

  /// Stops: refuses new requests with 503, ends event streams, cancels handlers, and waits for what is under way.
  ///
  /// Requests that are not answered after `grace` get a 503 or a closed connection. Further calls return at once.
  public func shutdown(grace: Duration = .seconds(5)) async {
    guard let daemon = daemon.withLock({ $0.take() }) else { return }
    await withCheckedContinuation { stopped in
      Thread.detachNewThread {
        daemon.stop(grace: grace)
        stopped.resume()
      }
    }
  }
}
