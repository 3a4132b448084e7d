import CLinux
import FarmAPI
import Foundation
import HTTP
import Preparation
import Processes

/// `sheaf-coordinator serve`: runs the coordinator.
struct ServeCommand {
  let configuration: ServeConfiguration

  /// Serves until a stop signal arrives, or until the coordinator cannot continue.
  func run() async throws {
    // With one heap per thread, the memory of threads that have ended would stay allocated.
    sheaf_use_two_heaps()
    let log = Log(configuration.logLevel, as: configuration.logFormat)
    try MediaChildren.openProgram()
    let security = try checkSecurity(log)
    let accessLog = try configuration.accessLog.map {
      try AccessLog($0, as: configuration.logFormat)
    }
    // Starts before the ledger is read, because reading may take long.
    let signal = Task { [exits = configuration.exitsWithParent] in
      await StopSignal.wait(exitsWithParent: exits, log: log)
    }
    defer { signal.cancel() }
    let coordinator = try Coordinator(configuration, log: log)
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
    let server = try Server(
      ServerConfiguration(
        address: configuration.bind, port: configuration.port,
        descriptor: configuration.descriptor, threads: Self.threads, limits: openFiles(log),
        security: security,
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
    let host = configuration.bind.contains(":") ? "[\(configuration.bind)]" : configuration.bind
    let scheme = security == nil ? "http" : "https"
    StandardStream.output.write("listening on \(scheme)://\(host):\(server.port)\n")
    log.info("listening on \(host), port \(server.port), data in \(configuration.data)")
    let (reason, isBreakdown) = await end(of: coordinator, signal)
    log.info("stopping: \(reason)")
    await coordinator.stop()
    await server.shutdown(grace: .seconds(3))
    await accessLog?.close()
    log.info("stopped")
    if isBreakdown { throw Breakdown(description: reason) }
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

  /// Refuses to serve other hosts without tokens, and logs an error if it serves them without TLS.
  private func checkSecurity(_ log: Log) throws -> ServerSecurity? {
    if configuration.accessPolicy == .tokens {
      let records = try TokenFile(data: configuration.data).records()
      guard records.contains(where: \.isActive) else { throw MissingTokens(configuration) }
    }
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
