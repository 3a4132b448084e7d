import CLinux
import Foundation
import HTTP

/// `sheaf-coordinator serve`: the coordinator itself.
struct ServeCommand {
  let configuration: ServeConfiguration

  /// Serves until it is told to stop.
  func run() async throws {
    // Threads come and go with files and submissions: memory in a heap per thread would stay allocated.
    sheaf_use_two_heaps()
    let log = Log(configuration.logLevel)
    let security = try checkSecurity(log)
    // Before the ledger is read, which may take long.
    let signal = Task { [exits = configuration.exitsWithParent] in
      await StopSignal.wait(exitsWithParent: exits, log: log)
    }
    defer { signal.cancel() }
    let coordinator = try Coordinator(configuration, log: log)
    // Before anybody can ask: workers and jobs from before are to be known then.
    try await coordinator.start()
    let tidying = Task { await coordinator.tidyEveryHour() }
    let trust = Task { await coordinator.dropUntrustedEverySecond() }
    let scrubbing = Task { await coordinator.scrub() }
    defer {
      tidying.cancel()
      trust.cancel()
      scrubbing.cancel()
    }
    let server = try Server(
      ServerConfiguration(
        address: configuration.bind, port: configuration.port, threads: Self.threads,
        limits: openFiles(log), security: security,
        hosts: configuration.hosts.isEmpty ? nil : configuration.hosts),
      router: coordinator.router
    ) { error, head in
      log.error("\(head.method) \(head.path): \(error)")
    }
    let host = configuration.bind.contains(":") ? "[\(configuration.bind)]" : configuration.bind
    let scheme = security == nil ? "http" : "https"
    StandardStream.output.write("listening on \(scheme)://\(host):\(server.port)\n")
    log.info("listening on \(host), port \(server.port), data in \(configuration.data)")
    let (reason, isBreakdown) = await end(of: coordinator, signal)
    log.info("stopping: \(reason)")
    await coordinator.stop()
    await server.shutdown(grace: .seconds(3))
    log.info("stopped")
    if isBreakdown { throw Breakdown(description: reason) }
  }

  /// How many threads serve connections: a disk or a media root that hangs holds up those that it serves, and heartbeats
  /// come over the others.
  private static let threads = 2 * max(2, ProcessInfo.processInfo.activeProcessorCount)

  /// Waits until it is told to stop, or cannot go on.
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
      return ("no reason", false)
    }
  }

  /// What keeps the coordinator from going on.
  private struct Breakdown: Error, CustomStringConvertible {
    let description: String
  }

  /// The server's limits, for which the process gets as many descriptors as it may have.
  private func openFiles(_ log: Log) -> ServerLimits {
    var limits = configuration.limits.server(
      isLocal: LoopbackAddress.contains(configuration.bind))
    var files = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 else { return limits }
    files.rlim_cur = files.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
    // A connection may have a file open beside its socket; the rest of the coordinator needs some too.
    let possible = max(2, (Int(clamping: files.rlim_max) - 512) / 2)
    if limits.connections > possible {
      log.error(
        "only \(possible) connections of \(limits.connections): the process may open no more "
          + "than \(files.rlim_max) files: raise that (ulimit -n)")
      limits.connections = possible
    }
    return limits
  }

  /// Refuses to be open to other hosts without tokens, and says what is left open.
  private func checkSecurity(_ log: Log) throws -> ServerSecurity? {
    if configuration.accessPolicy == .tokens {
      let records = try TokenFile(data: configuration.data).records()
      guard records.contains(where: \.isActive) else { throw MissingTokens(configuration) }
    }
    guard let certificate = configuration.certificate, let key = configuration.key else {
      if !LoopbackAddress.contains(configuration.bind) {
        log.error(
          "no TLS: tokens and media can be read on the way: give --tls-certificate and --tls-key, "
            + "or keep to a network that you trust")
      }
      return nil
    }
    return try ServerSecurity(
      certificateFile: certificate, keyFile: key,
      clientAuthorityFile: configuration.clientAuthority)
  }
}

/// A coordinator that others can reach has no tokens.
struct MissingTokens: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ configuration: ServeConfiguration) {
    description = """
      cannot serve on \(configuration.bind) without tokens: other hosts reach it: make one with \
      `sheaf-coordinator token create --data \(configuration.data) --role admin --name NAME`, \
      or bind to 127.0.0.1
      """
  }
}
