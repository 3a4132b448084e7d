import CLinux
import FarmAPI
import Foundation
import HTTP
import Preparation
import Processes
import S3
import Synchronization
import Threads

/// `sheaf-coordinator serve`: runs the coordinator.
struct ServeCommand {
  let configuration: ServeConfiguration

  /// Serves until a stop signal arrives, or until the coordinator cannot continue.
  func run() async throws {
    // With one heap per thread, the memory of threads that have ended would stay allocated.
    sheaf_use_two_heaps()
    let log = Log(configuration.logLevel, as: configuration.logFormat)
    try MediaChildren.openProgram()
    let security = try security(log)
    let accessLog = try configuration.accessLog.map {
      try AccessLog($0, as: configuration.logFormat)
    }
    // Starts before the ledger is read, because reading may take long.
    let signal = Task { [exits = configuration.exitsWithParent] in
      await StopSignal.wait(exitsWithParent: exits, log: log)
    }
    defer { signal.cancel() }
    let limits = openFiles(log)
    let waiting = try waiting(limits, log)
    let exchange = try await join(log)
    defer { exchange?.stop() }
    try assureTokens()
    exchange?.start(log)
    let announcement = Announcement(configuration, log)
    guard let coordinator = try await open(waiting, exchange, announcement, signal, log) else {
      let reason = await signal.value
      log.info("stopping: \(reason)")
      return
    }
    let parts = Parts(
      security: security, limits: limits, accessLog: accessLog, waiting: waiting,
      exchange: exchange, announcement: announcement, log: log)
    do {
      try await serve(coordinator, parts, until: signal)
    } catch let error as Breakdown {
      throw error
    } catch {
      // Its claim must not keep other coordinators from the ledger.
      StopSignal.limitStop(log)
      await coordinator.stop()
      throw error
    }
  }

  /// Everything that ``serve(_:_:until:)`` needs besides the coordinator.
  private struct Parts {
    let security: ServerSecurity?
    let limits: ServerLimits
    let accessLog: AccessLog?
    let waiting: WaitingCoordinator?
    let exchange: TrustExchange?
    let announcement: Announcement
    let log: Log
  }

  /// Serves clients until a stop signal arrives, or until the coordinator cannot continue.
  private func serve(
    _ coordinator: Coordinator, _ parts: Parts, until signal: Task<String, Never>
  ) async throws {
    let (log, accessLog, waiting) = (parts.log, parts.accessLog, parts.waiting)
    // If this is the farm's first coordinator, it has just created the ledger; the others need its tokens to start.
    if let exchange = parts.exchange {
      _ = try await BlockingThread.run(named: "join") { try exchange.merge() }
    }
    // Earlier workers and jobs must be known before the first request arrives.
    try await coordinator.start()
    let tidying = Task { await coordinator.tidyEveryHour() }
    let trust = Task { await coordinator.dropUntrustedEverySecond() }
    let scrubbing = Task { await coordinator.scrub() }
    let notifying = Task { await coordinator.notify() }
    defer {
      tidying.cancel()
      trust.cancel()
      scrubbing.cancel()
      notifying.cancel()
    }
    waiting?.stopPassing()
    let server = try Server(
      ServerConfiguration(
        address: configuration.bind, port: configuration.port,
        descriptor: waiting.map { dup($0.listener.descriptor) } ?? configuration.descriptor,
        threads: Self.threads, limits: parts.limits, security: parts.security,
        hosts: configuration.hosts.isEmpty ? nil : configuration.hosts),
      router: coordinator.router,
      onError: { error, head in
        log.error(
          "\(error)", ["method": head.method.rawValue, "path": Self.withoutToken(head.path)])
      },
      onEnd: { exchange in
        coordinator.note(exchange)
        accessLog?.note(exchange, by: coordinator.caller(of: exchange.head))
      })
    let entrance = try waiting.map { waiting in
      try waiting.entranceListener.startListening()
      return try RelayEntrance(
        accepting: waiting.entranceListener, key: waiting.entrance.key, for: server,
        acceptsOnlyLocal: configuration.accessPolicy == .loopback)
    }
    defer { entrance?.stop() }
    parts.announcement.make(port: server.port)
    let (reason, isBreakdown) = await end(of: coordinator, signal)
    log.info("stopping: \(reason)")
    if isBreakdown { StopSignal.limitStop(log) }
    await coordinator.stop()
    await server.shutdown(grace: .seconds(3))
    await accessLog?.close()
    log.info("stopped")
    if isBreakdown { throw Breakdown(description: reason) }
  }

  /// The sockets of one of several coordinators; `nil` if this is the only one.
  private func waiting(_ limits: ServerLimits, _ log: Log) throws -> WaitingCoordinator? {
    guard let place = configuration.peerAddress, let ledger = configuration.ledger else {
      return nil
    }
    return try WaitingCoordinator(
      configuration, ledger: ledger, at: place, connectionLimit: limits.connections, log: log)
  }

  /// Makes one of several coordinators a member of its farm, with the same tokens. Returns `nil` for a single one.
  private func join(_ log: Log) async throws -> TrustExchange? {
    guard configuration.peerAddress != nil, let ledger = configuration.ledger,
      let store = configuration.store
    else { return nil }
    let data = configuration.data
    let exchange = TrustExchange(data: data, ledger: ledger)
    let hasJoined = try await BlockingThread.run(named: "join") {
      let hasJoined = try Membership.join(data: data, ledger: ledger, store: store)
      try exchange.merge()
      // The first coordinator may have created the ledger just now, and its tokens follow.
      for _ in 0..<Self.tokenTries where hasJoined {
        guard try TokenFile(data: data).records().isEmpty else { break }
        Thread.sleep(forTimeInterval: 0.2)
        try exchange.merge()
      }
      return hasJoined
    }
    if hasJoined { log.info("joined the farm in \(ledger) and \(store.bucket)") }
    return exchange
  }

  /// How many times a coordinator that has joined looks for tokens, at intervals of 0.2 s.
  private static let tokenTries = 15

  /// Opens the coordinator. One of several waits until it owns the ledger, and passes connections on meanwhile. Returns
  /// `nil` if the signal arrives first.
  private func open(
    _ waiting: WaitingCoordinator?, _ exchange: TrustExchange?, _ announcement: Announcement,
    _ signal: Task<String, Never>, _ log: Log
  ) async throws -> Coordinator? {
    guard let waiting else { return try Coordinator(configuration, log: log) }
    let cancellation = Task {
      _ = await signal.value
      waiting.cancel()
    }
    defer { cancellation.cancel() }
    return try await BlockingThread.run(named: "waiting") {
      try waiting.takeOver(sharing: exchange) { announcement.make(port: waiting.listener.port) }
    }
  }

  /// A path without a lease's token, for the log.
  private static func withoutToken(_ path: String) -> String {
    path.replacing(/\/leases\/[^\/]+/, with: "/leases/{token}")
  }

  /// The number of threads that serve connections. If a disk or media root hangs, only the threads that use it hang,
  /// and the others still serve heartbeats.
  private static let threads = 2 * max(2, ProcessInfo.processInfo.activeProcessorCount)

  /// Waits until a stop signal arrives, or the coordinator cannot continue.
  private func end(
    of coordinator: Coordinator, _ signal: Task<String, Never>
  ) async -> (reason: String, isBreakdown: Bool) {
    await withTaskGroup(of: (String, Bool)?.self) { group in
      group.addTask { (await signal.value, false) }
      group.addTask { await coordinator.breakdown().map { ($0, true) } }
      defer {
        signal.cancel()
        group.cancelAll()
      }
      for await end in group { if let end { return end } }
      return ("unknown reason", false)
    }
  }

  /// The reason why the coordinator cannot continue.
  private struct Breakdown: Error, CustomStringConvertible {
    let description: String
  }

  /// The server's limits. Raises the process's limit on open files to its maximum, and lowers the number of connections
  /// if that is not enough.
  private func openFiles(_ log: Log) -> ServerLimits {
    var limits = configuration.limits.server(
      isLocal: LoopbackAddress.contains(configuration.bind))
    guard let files = ResourceLimits.raiseOpenFiles() else { return limits }
    // A connection may have a file open in addition to its socket, and the rest of the coordinator needs some.
    let possible = max(2, (Int(clamping: files) - 512) / 2)
    if limits.connections > possible {
      log.error(
        "allowing only \(possible) of \(limits.connections) connections, because the process may "
          + "open only \(files) files: raise that limit (ulimit -n)")
      limits.connections = possible
    }
    return limits
  }

  /// Refuses to serve other hosts without tokens.
  private func assureTokens() throws {
    guard configuration.accessPolicy == .tokens else { return }
    let records = try TokenFile(data: configuration.data).records()
    guard records.contains(where: \.isActive) else { throw MissingTokens(configuration) }
  }

  /// The TLS certificate and key. Logs an error if the coordinator serves other hosts without TLS.
  private func security(_ log: Log) throws -> ServerSecurity? {
    guard let certificate = configuration.certificate, let key = configuration.key else {
      if !LoopbackAddress.contains(configuration.bind) {
        log.error(
          "TLS is off: tokens and media are sent unencrypted: set --tls-certificate and --tls-key, "
            + "or use a trusted network only")
      }
      return nil
    }
    return try ServerSecurity(
      certificateFile: certificate, keyFile: key,
      clientAuthorityFile: configuration.clientAuthority)
  }
}

/// Announces once that clients can connect. Later calls announce that this coordinator now owns the ledger.
private final class Announcement: Sendable {
  private let configuration: ServeConfiguration
  private let log: Log
  private let isMade = Mutex(false)

  init(_ configuration: ServeConfiguration, _ log: Log) {
    (self.configuration, self.log) = (configuration, log)
  }

  func make(port: UInt16) {
    let wasMade = isMade.withLock { isMade in
      defer { isMade = true }
      return isMade
    }
    guard !wasMade else { return log.info("this coordinator owns the ledger now") }
    let address = configuration.bind
    let host = address.contains(":") ? "[\(address)]" : address
    let scheme = configuration.certificate == nil ? "http" : "https"
    StandardStream.output.write("listening on \(scheme)://\(host):\(port)\n")
    log.info("listening on \(host), port \(port), data in \(configuration.data)")
  }
}

/// A coordinator that other hosts can reach has no tokens.
struct MissingTokens: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ configuration: ServeConfiguration) {
    description = """
      cannot serve on \(configuration.bind) without tokens, because other hosts can reach it: create one with \
      `sheaf-coordinator token create --data \(configuration.data) --role admin --name NAME`, \
      or bind to 127.0.0.1
      """
  }
}
