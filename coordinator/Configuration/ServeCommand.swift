import Foundation
import HTTP

/// `sheaf-coordinator serve`: the coordinator itself.
struct ServeCommand {
  let configuration: ServeConfiguration

  /// Serves until it is told to stop.
  func run() async throws {
    let log = Log(configuration.logLevel)
    let coordinator = try Coordinator(configuration, log: log)
    // Before anybody can ask: workers and jobs from before are to be known then.
    try await coordinator.start()
    let server = try Server(
      ServerConfiguration(
        address: configuration.bind, port: configuration.port, connectionLimit: 8192),
      router: coordinator.router
    ) { error, head in
      log.error("\(head.method) \(head.path): \(error)")
    }
    let host = configuration.bind.contains(":") ? "[\(configuration.bind)]" : configuration.bind
    FileHandle.standardOutput.write(Data("listening on http://\(host):\(server.port)\n".utf8))
    log.info("listening on \(host), port \(server.port), data in \(configuration.data)")
    let reason = await StopSignal.wait(exitsWithParent: configuration.exitsWithParent)
    log.info("stopping: \(reason)")
    await coordinator.stop()
    await server.shutdown(grace: .seconds(3))
    log.info("stopped")
  }
}
