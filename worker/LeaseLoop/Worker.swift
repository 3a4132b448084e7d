import FarmAPI
import Foundation
import HTTP
import Rendering

/// A worker, assembled from its configuration.
struct Worker: Sendable {
  private let loop: LeaseLoop

  /// - Throws: ``LocalFileError`` if the cache cannot be created.
  init(_ configuration: Configuration, log: Log) throws {
    let client = Client(
      to: configuration.coordinators, userAgent: "sheaf-worker",
      credentials: configuration.credentials,
      connectTimeout: .seconds(5))
    let connection = CoordinatorConnection(
      client: client,
      store: ObjectStore(authorityFile: configuration.storeAuthorityFile, log: log),
      refusals: TokenRefusals(patience: configuration.tokenPatience))
    let cache = try BlockCache(
      directory: configuration.cacheDirectory, byteLimit: configuration.cacheByteLimit,
      unkept: { log.error("not-cached", ["because": "\($0)"]) },
      damaged: { log.error("cache-damaged", ["asset": "\($0.asset)", "block": "\($0.index)"]) })
    let shared = SharedMedia(
      roots: configuration.mediaRoots,
      unusable: { asset, reason in
        log.error(
          "media-unusable",
          ["asset": "\(asset.digest)", "file": asset.path ?? "", "because": reason])
      })
    loop = LeaseLoop(
      registration: WorkerRegistration(
        name: configuration.name, slots: configuration.slots,
        fingerprint: Fingerprint.current, memory: configuration.memory ?? HostMemory.usable,
        host: configuration.host, cores: ProcessInfo.processInfo.activeProcessorCount,
        version: SheafVersion.current,
        pools: configuration.pools.isEmpty ? nil : configuration.pools,
        priority: configuration.priority == 0 ? nil : configuration.priority),
      connection: connection,
      renderer: SegmentChunks(
        access: AssetAccess(
          cache: cache, client: client, connection: connection, shared: shared,
          failures: AssetFailures(log: log)),
        processes: RenderProcesses(
          count: configuration.slots, memory: configuration.slotMemory)),
      spoolDirectory: configuration.cacheDirectory,
      schedule: WorkSchedule(configuration.hours), exitConditions: configuration.exitConditions,
      log: log)
  }

  /// Works until the task is cancelled or an exit condition is met.
  func run() async throws { try await loop.run() }
}
