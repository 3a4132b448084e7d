import CMicroHTTPD
import Foundation

/// A libmicrohttpd daemon: its threads, and the callbacks that connect them to a ``Service``.
///
/// `@unchecked`: libmicrohttpd accepts calls for a daemon from any thread, and ``stop(grace:)`` is called once.
struct Daemon: @unchecked Sendable {
  private let handle: OpaquePointer
  private let service: Service
  /// The strings that libmicrohttpd's options point to.
  private let texts: PinnedTexts?

  /// Starts to serve the connections that arrive at `socket`, and takes ownership of it.
  init(
    _ configuration: ServerConfiguration, service: Service, listeningOn socket: Int32
  ) throws(ServerError) {
    // This value keeps the service alive until the threads have ended.
    let context = Unmanaged.passUnretained(service).toOpaque()
    let limits = configuration.limits
    var options: [MHD_OptionItem] = [
      .init(.LISTEN_SOCKET, Int(socket)),
      .init(.CONNECTION_LIMIT, limits.connections + Connections.reserve),
      .init(.CONNECTION_TIMEOUT, Int(limits.idleTimeout.components.seconds)),
      .init(.CONNECTION_MEMORY_LIMIT, limits.connectionBytes),
      .init(.URI_LOG_CALLBACK, unsafeBitCast(Self.began, to: Int.self), context),
      .init(.NOTIFY_COMPLETED, unsafeBitCast(Self.ended, to: Int.self), context),
      .init(.NOTIFY_CONNECTION, unsafeBitCast(Self.connectionChanged, to: Int.self), context),
    ]
    if configuration.threads > 1 {
      options.append(.init(.THREAD_POOL_SIZE, configuration.threads))
    }
    var flags = MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
    let secure = configuration.security?.options()
    if let secure {
      flags |= MHD_USE_TLS.rawValue
      options += secure.options
    }
    texts = secure?.texts
    options.append(.init(.END, 0))
    guard let handle = sheaf_mhd_start(flags, Self.advance, context, &options) else {
      if configuration.security != nil {
        throw ServerError(
          .cannotStart,
          "cannot start the server: the certificate and the key do not match or are invalid")
      }
      throw ServerError(.cannotStart, "cannot start the server: out of threads or memory")
    }
    self.handle = handle
    self.service = service
    service.suspensions.start()
    service.connections.start()
  }

  /// Serves a connection that was accepted elsewhere, and takes ownership of its socket.
  func adopt(_ socket: Int32, from client: SocketPlace) {
    // It closes the socket if it cannot serve it.
    client.withSocketAddress { _ = MHD_add_connection(handle, socket, $0, $1) }
  }

  /// Stops the daemon, and blocks until it has stopped.
  ///
  /// `MHD_quiesce_daemon` would reject connections meanwhile. But in version 0.9.75, it races with the threads of a
  /// pool to remove the listening socket from their epoll sets, and aborts the process if it loses. So new requests are
  /// answered with 503 instead.
  func stop(grace: Duration) {
    service.suspensions.close()
    wait(atMost: grace)
    for exchange in service.exchanges { exchange.giveUp() }
    // The threads need a moment to send what was just decided.
    wait(atMost: .milliseconds(500))
    MHD_stop_daemon(handle)
    service.suspensions.stop()
    service.connections.stop()
  }

  private func wait(atMost limit: Duration) {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while !service.exchanges.isEmpty, clock.now < deadline { usleep(2000) }
  }
}

// MARK: - Callbacks

extension Daemon {
  private typealias Began =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
    ) -> UnsafeMutableRawPointer?

  /// The request line has arrived. The other callbacks receive the returned exchange.
  private static let began: Began = { context, target, _ in
    guard let context, let target else { return nil }
    let service = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue()
    let exchange = Exchange(target: target, service: service)
    service.began(exchange)
    return Unmanaged.passRetained(exchange).toOpaque()
  }

  /// The connection has finished a request.
  private static let ended: MHD_RequestCompletedCallback = { context, connection, slot, _ in
    if let context, let connection {
      // The next bytes on the connection belong to another head.
      Unmanaged<Service>.fromOpaque(context).takeUnretainedValue()
        .connections.note(.waiting, connection)
    }
    guard let taken = slot?.pointee else { return }
    slot?.pointee = nil
    let exchange = Unmanaged<Exchange>.fromOpaque(taken).takeRetainedValue()
    exchange.finish()
    exchange.service.ended(exchange)
  }

  /// A connection was opened or is about to be closed.
  private static let connectionChanged: MHD_NotifyConnectionCallback = {
    context, connection, _, change in
    guard let context, let connection else { return }
    let connections = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue().connections
    if sheaf_mhd_has_opened(change) != 0 {
      connections.opened(connection)
    } else {
      connections.closed(connection)
    }
  }

  /// The head, a piece of the body, or its end has arrived.
  private static let advance: MHD_AccessHandlerCallback = {
    _, connection, _, method, version, piece, count, slot in
    guard let connection, let method, let version, let count, let taken = slot?.pointee else {
      return .NO
    }
    let exchange = Unmanaged<Exchange>.fromOpaque(taken).takeUnretainedValue()
    let call = Exchange.Call(
      connection: connection, method: method, version: version,
      piece: UnsafeRawBufferPointer(start: piece, count: count.pointee))
    count.pointee = 0
    return exchange.advance(call)
  }
}

extension MHD_OptionItem {
  fileprivate init(
    _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil
  ) {
    self.init(option: option, value: value, ptr_value: pointer)
  }
}
