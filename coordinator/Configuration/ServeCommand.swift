import FarmAPI
import Foundation
import HTTP
import SQLite
import Scheduling

/// `sheaf-coordinator serve`: the coordinator itself.
struct ServeCommand {
  let configuration: ServeConfiguration

  /// Serves until it is told to stop.
  func run() async throws {
    let log = Log(configuration.logLevel)
    let coordinator = try Coordinator(configuration, log: log)
    let server = try Server(
      ServerConfiguration(
        address: configuration.bind, port: configuration.port, connectionLimit: 8192),
      router: coordinator.services.router()
    ) { error, head in
      log.error("\(head.method) \(head.path): \(error)")
    }
    try await coordinator.start()
    let host = configuration.bind.contains(":") ? "[\(configuration.bind)]" : configuration.bind
    FileHandle.standardOutput.write(Data("listening on http://\(host):\(server.port)\n".utf8))
    log.info("listening on \(host), port \(server.port), data in \(configuration.data)")
    let reason = await StopSignal.wait(exitsWithParent: configuration.exitsWithParent)
    log.info("stopping: \(reason)")
    await coordinator.farm.stop()
    await server.shutdown(grace: .seconds(3))
    log.info("stopped")
  }
}

/// A coordinator without its socket.
struct Coordinator {
  let farm: Farm
  let services: Services
  private let workshop: Workshop

  /// A coordinator on a data directory.
  ///
  /// - Throws: ``StorageError`` or `SQLiteError` where the directory cannot be used.
  init(_ configuration: ServeConfiguration, log: Log) throws {
    let directory = try DataDirectory(configuration.data)
    try self.init(
      directory: directory, ledger: .file(directory.ledger), settings: configuration.scheduling,
      mediaRoots: MediaRoots(configuration.mediaRoots),
      tools: MediaChildren(limit: max(2, ProcessInfo.processInfo.activeProcessorCount)), log: log)
  }

  /// A coordinator from its parts.
  init(
    directory: DataDirectory, ledger: Database.Location, settings: SchedulerSettings,
    mediaRoots: MediaRoots, tools: any MediaTools, clock: FarmClock = .system(), log: Log
  ) throws {
    let chunks = ChunkStore(directory)
    let assets = AssetStore(directory)
    let threads = BlockingThreads(count: 8)
    farm = try Farm(ledger: ledger, chunks: chunks, settings: settings, clock: clock, log: log)
    services = Services(
      farm: farm, assets: assets, chunks: chunks, directory: directory, threads: threads,
      mediaRoots: mediaRoots)
    workshop = Workshop(
      farm: farm, directory: directory, chunks: chunks, indexes: MediaIndexCache(directory),
      files: AssetFiles(store: assets), tools: tools, threads: threads, log: log)
  }

  /// Takes up what an earlier coordinator on the directory left.
  func start() async throws {
    try await farm.restore { [workshop] job in workshop.start(job) }
  }
}
