import CMicroHTTPD
import Foundation
import Synchronization
import Threads

/// Passes the connections of clients on to another server, without looking at their bytes. So TLS is between the client
/// and that server.
///
/// The server learns the clients' addresses: see ``RelayEntrance``. If there is no server or it cannot be reached, clients
/// without TLS get a response with the status 503, and connections with TLS are closed.
public final class Relay: Sendable {
  /// The state that other threads change.
  private struct Orders {
    var target: RelayTarget?
    var isStopped = false
  }

  private let orders: Mutex<Orders>
  private let wakeup: Int32

  /// Starts to accept connections.
  ///
  /// - Parameters:
  ///   - socket: the listening socket, which stays open when the relay is stopped.
  ///   - target: the server; `nil` if there is none yet.
  ///   - isSecure: whether the server uses TLS.
  ///   - limit: the most connections at a time; others get the status 503.
  /// - Throws: ``ServerError`` if the system has no room for it.
  public init(
    accepting socket: borrowing ListeningSocket, to target: RelayTarget? = nil, isSecure: Bool,
    limit: Int
  ) throws(ServerError) {
    let poller = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    let listener = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 3)
    guard poller >= 0, wakeup >= 0, listener >= 0 else {
      let reason = String(cString: strerror(errno))
      for descriptor in [poller, wakeup, listener] where descriptor >= 0 { close(descriptor) }
      throw ServerError(.cannotStart, "cannot pass connections on: \(reason)")
    }
    orders = Mutex(Orders(target: target))
    let loop = RelayLoop(
      poller: poller, wakeup: wakeup, listener: listener, isSecure: isSecure, limit: limit)
    // The thread keeps this relay, and with it the wakeup descriptor, until it ends.
    BlockingThread.start(named: "http-relay") { [self] in
      loop.run { orders.withLock { ($0.target, $0.isStopped) } }
    }
  }

  deinit { close(wakeup) }

  /// Passes new connections on to another server. Connections to the earlier one are closed soon after.
  public func pass(to target: RelayTarget?) {
    orders.withLock { $0.target = target }
    wake()
  }

  /// Stops accepting connections. Open ones are closed soon after.
  public func stop() {
    orders.withLock { $0.isStopped = true }
    wake()
  }

  private func wake() {
    var one: UInt64 = 1
    _ = write(wakeup, &one, MemoryLayout<UInt64>.size)
  }
}

/// The thread of a relay, and its connections.
///
/// `@unchecked`: the relay creates it, and only its thread uses it.
private final class RelayLoop: @unchecked Sendable {
  private let poller: Int32
  private let wakeup: Int32
  private let listener: Int32
  private let isSecure: Bool
  private let limit: Int
  private var target: RelayTarget?
  private var isStopped = false
  private var isListening = false
  private var connections: [UInt64: RelayedConnection] = [:]
  /// The connections that may have bytes to move.
  private var ready: Set<UInt64> = []
  private var lastNumber: UInt64 = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

  /// The events of the listening socket and of the wakeup. Other events are for connections, by their numbers.
  private static let (listening, waking) = (UInt64.max, UInt64.max - 1)
  private static let connectTimeout = Duration.seconds(3)
  /// The time in which the responses of an earlier server may still arrive.
  private static let grace = Duration.seconds(3)

  init(poller: Int32, wakeup: Int32, listener: Int32, isSecure: Bool, limit: Int) {
    (self.poller, self.wakeup, self.listener) = (poller, wakeup, listener)
    (self.isSecure, self.limit) = (isSecure, limit)
  }

  deinit {
    buffer.deallocate()
    close(poller)
    close(listener)
  }

  func run(_ orders: () -> (RelayTarget?, Bool)) {
    watch(wakeup, EPOLLIN.rawValue, Self.waking)
    var events = [epoll_event](repeating: epoll_event(), count: 256)
    obey(orders())
    while !isStopped || !connections.isEmpty {
      let count = epoll_wait(poller, &events, Int32(events.count), ready.isEmpty ? 500 : 0)
      obey(orders())
      for event in events[..<Int(max(0, count))] {
        switch event.data.u64 {
        case Self.listening: if isListening { accept() }
        case Self.waking:
          var number: UInt64 = 0
          _ = read(wakeup, &number, MemoryLayout<UInt64>.size)
        default: note(event)
        }
      }
      for number in ready { move(number) }
      closeLate()
    }
  }

  private func obey(_ orders: (target: RelayTarget?, isStopped: Bool)) {
    if orders.target != target || orders.isStopped && !isStopped {
      target = orders.target
      let end = ContinuousClock.now + Self.grace
      for connection in connections.values where connection.target != nil {
        let isWanted = !orders.isStopped && connection.target == target
        connection.deadline = isWanted ? nil : connection.deadline ?? end
      }
    }
    isStopped = orders.isStopped
    if isStopped, isListening {
      epoll_ctl(poller, EPOLL_CTL_DEL, listener, nil)
      isListening = false
    } else if !isStopped, !isListening {
      watch(listener, EPOLLIN.rawValue, Self.listening)
      isListening = true
    }
  }

  private func watch(_ descriptor: Int32, _ events: UInt32, _ number: UInt64) {
    var event = epoll_event()
    event.events = events
    event.data.u64 = number
    epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event)
  }

  // MARK: - New connections

  private func accept() {
    for _ in 0..<64 {
      guard let (client, address) = IncomingSocket.accept(from: listener) else {
        if IncomingSocket.isOutOfRoom {
          // Connections wait until there is room, which is tried again after the next events.
          epoll_ctl(poller, EPOLL_CTL_DEL, listener, nil)
          isListening = false
          usleep(10_000)
        }
        return
      }
      begin(client, address)
    }
  }

  private func begin(_ client: Int32, _ address: String) {
    guard let target else { return refuse(client, "no coordinator serves this farm now") }
    guard connections.count < limit else { return refuse(client, "too many connections are open") }
    guard let server = Self.connect(to: target.place) else {
      return refuse(client, Self.unreachable)
    }
    Self.prepare(client)
    Self.prepare(server)
    let connection = RelayedConnection(client: client, server: server, to: target, as: address)
    add(connection)
  }

  private func add(_ connection: RelayedConnection) {
    lastNumber += 1
    connections[lastNumber] = connection
    ready.insert(lastNumber)
    let events = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
    watch(connection.client, events, lastNumber << 1)
    if let server = connection.server { watch(server, events, lastNumber << 1 | 1) }
  }

  private static let unreachable = "the coordinator that owns the ledger cannot be reached"

  /// Answers that the request cannot be served.
  private func refuse(_ client: Int32, _ reason: String) {
    guard !isSecure else {
      close(client)
      return
    }
    let error = HTTPError(.serviceUnavailable, detail: "\(reason): try again")
    let body = (try? JSONEncoder.sorted.encode(error.problem)) ?? Data()
    let head =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: \(ProblemDocument.mediaType)\r\n"
      + "Content-Length: \(body.count)\r\nRetry-After: 1\r\nConnection: close\r\n\r\n"
    add(RelayedConnection(client: client, answering: Array(head.utf8) + body))
  }

  /// Starts to open a connection. Returns `nil` if the system cannot.
  private static func connect(to place: SocketPlace) -> Int32? {
    place.withSocketAddress { address, length in
      let type =
        Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
      let server = socket(Int32(address.pointee.sa_family), type, 0)
      guard server >= 0 else { return nil }
      guard Foundation.connect(server, address, length) == 0 || errno == EINPROGRESS else {
        close(server)
        return nil
      }
      return server
    }
  }

  /// Makes the system send small pieces at once, and find out within half a minute if the other host is gone.
  private static func prepare(_ socket: Int32) {
    let options = [
      (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_NODELAY, 1),
      (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 10), (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5),
      (Int32(IPPROTO_TCP), TCP_KEEPCNT, 4), (Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 30_000),
    ]
    for (level, name, number) in options {
      var value = Int32(number)
      setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  // MARK: - Open connections

  private func note(_ event: epoll_event) {
    let number = event.data.u64 >> 1
    guard let connection = connections[number] else { return }
    let isServer = event.data.u64 & 1 == 1
    if isServer, !connection.isConnected {
      let ended = EPOLLOUT.rawValue | EPOLLERR.rawValue | EPOLLHUP.rawValue
      guard event.events & ended != 0 else { return }
      guard connection.connectionEnded() else { return fail(number) }
    }
    ready.insert(number)
  }

  /// Ends a connection whose server cannot be reached.
  private func fail(_ number: UInt64) {
    guard let connection = connections[number] else { return }
    let client = fcntl(connection.client, F_DUPFD_CLOEXEC, 3)
    end(number)
    guard client >= 0 else { return }
    refuse(client, Self.unreachable)
  }

  private func move(_ number: UInt64) {
    switch connections[number]?.move(through: buffer) {
    case .hasMore: break
    case .waits, nil: ready.remove(number)
    case .isOver: end(number)
    }
  }

  private func end(_ number: UInt64) {
    ready.remove(number)
    guard let connection = connections.removeValue(forKey: number) else { return }
    // A duplicate of the socket may stay open.
    epoll_ctl(poller, EPOLL_CTL_DEL, connection.client, nil)
  }

  private var nextCheck = ContinuousClock.now

  private func closeLate() {
    let now = ContinuousClock.now
    guard now >= nextCheck else { return }
    nextCheck = now + .milliseconds(500)
    for (number, connection) in connections {
      if !connection.isConnected, now - connection.start >= Self.connectTimeout {
        fail(number)
      } else if let deadline = connection.deadline, now >= deadline {
        end(number)
      }
    }
  }
}
