import CMicroHTTPD
import Synchronization

/// The suspended connections of a server, which wait for something other than the network.
///
/// A suspended connection does not occupy a thread. libmicrohttpd does not watch its socket, so the
/// ``DisconnectWatcher`` does. It must stop watching a socket before the connection is resumed. All connections are
/// resumed before the server stops.
final class Suspensions: Sendable {
  /// The reason why a wait has to end early.
  enum Interruption {
    case clientLeft
    case shutdown
  }

  /// One suspended connection.
  ///
  /// `@unchecked`: libmicrohttpd keeps the connection until it is resumed, and any thread may resume it.
  struct Suspension: @unchecked Sendable {
    fileprivate let number: UInt64
    fileprivate let connection: OpaquePointer
    fileprivate let socket: Int32
  }

  private struct State {
    var isClosed = false
    var next: UInt64 = 1
    var interrupt: [UInt64: @Sendable (Interruption) -> Void] = [:]
  }

  private let state = Mutex(State())
  private let watcher: DisconnectWatcher

  init() throws(ServerError) {
    watcher = try DisconnectWatcher()
  }

  /// Starts to watch sockets for clients that disconnect.
  func start() {
    watcher.start { [weak self] number in
      guard let self else { return }
      state.withLock { $0.interrupt[number] }?(.clientLeft)
    }
  }

  /// Suspends `connection`. Call it only in a callback for this connection. Returns `nil` if the server is shutting
  /// down.
  ///
  /// `interrupt` may be called a few times, from another thread, and without any of this type's locks held.
  func suspend(
    _ connection: OpaquePointer, interrupt: @escaping @Sendable (Interruption) -> Void
  ) -> Suspension? {
    let number: UInt64? = state.withLock { state in
      guard !state.isClosed else { return nil }
      defer { state.next += 1 }
      state.interrupt[state.next] = interrupt
      return state.next
    }
    guard let number else { return nil }
    let socket = sheaf_mhd_socket(connection)
    MHD_suspend_connection(connection)
    watcher.add(socket, number: number)
    return Suspension(number: number, connection: connection, socket: socket)
  }

  /// Resumes a connection. Each suspension must be resumed exactly once.
  func resume(_ suspension: Suspension) {
    state.withLock { $0.interrupt[suspension.number] = nil }
    watcher.remove(suspension.socket)
    MHD_resume_connection(suspension.connection)
  }

  /// Rejects further suspensions and interrupts the existing ones.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      return Array(state.interrupt.values)
    }
    for interrupt in waiting { interrupt(.shutdown) }
  }

  /// Whether the server is shutting down.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Ends the watcher's thread.
  func stop() {
    watcher.stop()
  }
}
