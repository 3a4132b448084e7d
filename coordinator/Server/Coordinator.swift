import FarmAPI
import Foundation
import HTTP
import PostgreSQL
import Preparation
import S3
import Scheduling

/// A coordinator without its socket.
package struct Coordinator: Sendable {
  package enum LedgerLocation: Sendable {
    /// In the data directory.
    case onDisk
    /// In memory, and lost when the coordinator ends.
    case inMemory
    /// In a PostgreSQL database. If other coordinators reach this one at `entrance`, it does not wait for the claim of
    /// another one to expire.
    case server(ServerAddress, entrance: RelayTarget? = nil)
    /// A ledger that the caller provides.
    case provided(@Sendable () throws -> sending any FarmLedger)

    fileprivate func open(
      _ directory: DataDirectory, isUnused: Bool
    ) throws -> sending any FarmLedger {
      switch self {
      case .onDisk:
        try Ledger(
          .file(directory.ledger), isDurable: Durability.isRequired(of: directory.ledger))
      case .inMemory: try Ledger(.memory)
      case .server(let address, let entrance):
        try Ledger(
          at: address, data: directory.path, isUnused: isUnused, entrance: entrance,
          patience: entrance == nil ? LedgerOwnership.patience : .zero)
      case .provided(let ledger): try ledger()
      }
    }

    /// Checks that the files in a directory do not belong to a ledger at another location.
    fileprivate func assureOnly(in directory: DataDirectory) throws {
      let state = try OwnerRecord.read(in: directory.path)?.state
      switch self {
      case .onDisk where state == .returning:
        throw StorageError(
          .inUse,
          "moving the ledger of \(directory.path) to SQLite was interrupted: run `sheaf-coordinator "
            + "move-ledger --back` again; if the database is lost, remove "
            + "\(directory.path)/ledger-owner.json, and restore a backup")
      case .onDisk where state == .away: throw StorageError.ledgerOnServer(directory.path)
      case .onDisk: try directory.assureLedger()
      case .server(let address, _):
        let isOnDisk = (FileFacts.byteCount(at: directory.ledger) ?? 0) > 0
        guard state != .away, state != .returning, isOnDisk else { return }
        throw StorageError(
          .inUse,
          "the ledger is in SQLite: \(directory.ledger): move it with `sheaf-coordinator move-ledger "
            + "--data \(directory.path) --ledger \(address)`, or leave --ledger out")
      case .inMemory, .provided: break
      }
    }
  }

  package enum ObjectLocation: Sendable {
    /// In the data directory.
    case onDisk
    /// In a bucket of an object store.
    case inBucket(ObjectClient)
    /// In a storage that the caller provides.
    case provided(any ObjectStorage)

    fileprivate func open(
      _ directory: DataDirectory, _ files: ObjectFiles, _ space: DiskSpace,
      mayRemove: @escaping @Sendable () -> Bool, _ log: Log
    ) throws -> any ObjectStorage {
      switch self {
      case .onDisk:
        try StoreRecord.assureNone(in: directory.path)
        return files
      case .inBucket(let client):
        try StoreRecord.claim(client, for: directory, isUnused: directory.usedFile == nil)
        return try S3Objects(
          client, directory: directory, space: space, mayRemove: mayRemove, log: log)
      case .provided(let objects): return objects
      }
    }
  }

  private let farm: Farm
  private let workshop: Workshop
  private let runner: JobRunner
  private let recorder: Recorder
  private let losses: StoreWatch<LostAsset>
  private let uploads: StoreWatch<ChunkUploadEvent>
  private let retention: Retention
  private let trust: TrustKeeper
  private let revocations: RevocationWatch
  private let scrubber: Scrubber
  private let meter = HTTPMeter()
  private let notifier: Notifier
  private let access: Access
  /// The router over every route of the coordinator.
  package let router: Router

  /// Creates the coordinator that `serve` runs.
  ///
  /// - Parameters:
  ///   - entrance: where other coordinators reach this one; `nil` if they cannot.
  ///   - exchange: the exchange of tokens with the other coordinators.
  /// - Throws: ``StorageError`` or ``LedgerError`` if the data directory cannot be used.
  package init(
    _ configuration: ServeConfiguration, entrance: RelayTarget? = nil,
    exchange: TrustExchange? = nil, log: Log
  ) throws {
    try self.init(
      data: configuration.data,
      ledger: configuration.ledger.map { .server($0, entrance: entrance) } ?? .onDisk,
      objects: configuration.store.map { .inBucket($0) } ?? .onDisk,
      settings: configuration.scheduling,
      storage: configuration.storage,
      mediaRoots: configuration.mediaRoots,
      mediaCache: configuration.mediaCache.flatMap(MediaCache.init), sources: configuration.sources,
      recordingSources: configuration.recordingSources,
      tools: MediaChildren(
        limit: max(2, ProcessInfo.processInfo.activeProcessorCount),
        quota: PlanningQuota(seconds: configuration.limits.planningSecondsPerSubmitter)),
      access: Access(
        configuration.accessPolicy, data: configuration.data,
        workersShowCertificates: configuration.clientAuthority != nil, log: log),
      limits: configuration.limits, auditShare: configuration.auditShare,
      damageSearchDelay: configuration.damageSearchDelay,
      notifications: configuration.notifications, exchange: exchange, log: log)
  }

  /// Creates a coordinator, which holds the lock of the data directory until it is released.
  ///
  /// - Parameters:
  ///   - objects: where the stored files are.
  ///   - giveTurn: gives others a turn between two slices of the farm's long work.
  package init(
    data: String, ledger: LedgerLocation = .onDisk, objects: ObjectLocation = .onDisk,
    settings: SchedulerSettings,
    storage: StorageSettings = StorageSettings(), mediaRoots: [String] = [],
    mediaCache: MediaCache? = nil,
    sources: AssetSources = AssetSources(),
    recordingSources: AllowedRecordingSources = AllowedRecordingSources(), tools: any MediaTools,
    access: Access? = nil, limits: Limits = Limits(), auditShare: Double = 0,
    damageSearchDelay: Duration = ServeConfiguration.defaultDamageSearchDelay,
    notifications: NotificationSettings = NotificationSettings(),
    exchange: TrustExchange? = nil,
    calendar: @escaping @Sendable () -> Date = { Date() },
    giveTurn: @escaping @Sendable () async -> Void = { await Task.yield() },
    scrubClock: Scrubber.Clock = .system, tries: RunTries = RunTries(), log: Log
  ) throws {
    let secret = try notifications.secret()
    let roots = try MediaRoots(mediaRoots)
    let directory = try DataDirectory(data)
    if directory.wasOpen {
      log.error(
        "other users of this host had access to \(directory.path): it is now private")
    }
    if storage.isTemporary {
      try directory.assureNew()
      Durability.waive(under: directory.path)
    }
    try ledger.assureOnly(in: directory)
    let space = DiskSpace(directory.path, reserve: storage.reserve)
    let isUnused = directory.usedFile == nil
    let files = ObjectFiles(directory, quarantine: Quarantine(directory, log: log))
    // Opened before the bucket is claimed, so that a start that fails can be repeated.
    let location = ledger
    let ledger = try ledger.open(directory, isUnused: isUnused)
    let objects: any ObjectStorage = try objects.open(
      directory, files, space, mayRemove: ledger.isOwned, log)
    if case .server(let address, let entrance) = location {
      try Membership.note(directory.path, at: address, isOnly: entrance == nil)
    }
    let assets = AssetStore(
      in: objects, uploads: directory.uploads, space: space,
      uploadPatience: storage.uploadPatience)
    let chunks = try ChunkStore(in: objects, directory)
    let mixes = MixStore(in: objects, log: log)
    let outputs = OutputStore(in: objects)
    let knownFiles = mediaCache ?? MediaCache(in: directory.knownFiles)
    let threads = BlockingThreads(count: 8)
    let documents = DocumentStore(in: objects)
    let clock = FarmClock.system(calendar: calendar, giveTurn: giveTurn)
    farm = Farm(
      ledger: ledger, chunks: chunks, mixes: mixes,
      assets: assets,
      space: space, documents: documents, settings: settings,
      clock: clock, log: log, limits: limits, keepsChunks: storage.chunkBytes > 0,
      reuse: storage.reuse,
      auditShare: auditShare, notifications: notifications)
    notifier = Notifier(farm: farm, notifications, secret: secret, date: calendar, log: log)
    losses = StoreWatch(assets.losses) { [farm] in
      await farm.loseStored($0.digest, because: $0.reason)
    }
    uploads = StoreWatch(chunks.uploadEvents) { [farm] event in
      switch event.kind {
      case .arriving: await farm.chunkArrives(event.lease)
      case .refused(let reason): await farm.refuse(event.lease, reason)
      }
    }
    workshop = Workshop(
      farm: farm, directory: directory, chunks: chunks, outputs: outputs,
      recordings: RecordingStore(in: objects, directory),
      indexes: MediaIndexCache(in: objects, mediaCache),
      files: AssetFiles(store: assets, cache: knownFiles),
      fetcher: AssetFetcher(
        sources, into: assets, uploads: directory.uploads, space: space,
        threads: threads, log: log),
      documents: documents, mixes: mixes, tools: tools, limits: limits.planning,
      assemblies: AssemblySlots(limits.assemblies), damageSearchDelay: damageSearchDelay,
      space: space, threads: threads, clock: clock,
      tries: tries, log: log)
    runner = JobRunner(shop: workshop)
    recorder = Recorder(shop: workshop, allowed: recordingSources)
    retention = Retention(
      farm: farm, storage: objects, directory: directory, settings: storage, threads: threads,
      log: log)
    trust = TrustKeeper(farm: farm, data: data, threads: threads, log: log)
    scrubber = Scrubber(
      farm: farm, storage: objects, directory: directory, assets: assets, chunks: chunks,
      outputs: outputs,
      documents: documents, indexes: workshop.indexes, bytesPerSecond: storage.scrubRate,
      clock: scrubClock, log: log)
    let access = access ?? Access(.loopback, data: data, log: log)
    self.access = access
    revocations = RevocationWatch(farm: farm, access: access)
    let services = Services(
      farm: farm, tools: tools, workshop: workshop, documents: documents,
      sharedObjects: objects as? any SharedObjectStorage, scrubber: scrubber,
      meter: meter, storeSizes: StoreSizes(of: objects, quarantine: directory.quarantine),
      assets: assets,
      chunks: chunks, outputs: outputs,
      outputChecks: OutputChecks(outputs, threads: threads),
      recordedChecks: OutputChecks(outputs, threads: threads),
      fragmentChecks: OutputChecks(outputs, threads: threads),
      assetChecks: AssetChecks(assets, threads: threads),
      directory: directory, space: space, threads: threads,
      mediaRoots: roots, sources: sources, recorder: recorder,
      recordingSources: recordingSources, notifications: notifications,
      access: access, tokens: TokenFile(data: data), exchange: exchange, limits: limits,
      tries: tries,
      eventStreams: Occupancy(
        "open event streams", limit: limits.eventStreams, perClient: limits.eventStreamsPerClient),
      longPolls: Occupancy(
        "requests waiting for a lease", limit: limits.longPolls,
        perClient: limits.longPollsPerClient),
      submissionSlots: Occupancy(
        "submissions in progress", perClient: limits.jobsPerSubmitter,
        remedy: "wait until one is accepted"))
    router = services.router()
  }

  /// Continues the work that an earlier coordinator left in the directory.
  package func start() async throws {
    await farm.recoverChunks()
    // Runs after chunks are recovered and before any job continues, so that no job uses a chunk that it must not.
    await trust.apply()
    for job in try await farm.jobsToAdopt() {
      let run = JobRun(id: job, shop: workshop)
      do { try await run.adopt() } catch {
        workshop.log.error(
          "its plan from an earlier version is not converted yet: \(error)", .job(job))
      }
      await run.clearUp()
    }
    try await farm.restore()
    await runner.start()
    await losses.start()
    await uploads.start()
    try await recorder.start()
  }

  /// Records a request that the server has finished with.
  package func note(_ exchange: FinishedExchange) { meter.note(exchange) }

  /// The caller of a request, for the access log; `nil` if its token is not valid.
  func caller(of head: RequestHead) -> Caller? { try? access.admit(head, to: .anyone) }

  /// Removes data that is no longer needed and has been kept for long enough.
  package func tidy(at now: Date = Date()) async throws {
    try await retention.tidy(at: now)
  }

  /// Calls ``tidy(at:)`` immediately and then every hour, until the task is cancelled.
  package func tidyEveryHour() async {
    while !Task.isCancelled {
      do { try await tidy() } catch is CancellationError {
        return
      } catch {
        retention.log.error("cannot remove old data: \(error)")
      }
      try? await Task.sleep(for: .seconds(3600))
    }
  }

  /// Ends the open requests of revoked tokens, and drops their chunks and the chunks that `forget` named.
  package func dropUntrusted() async {
    await revocations.apply()
    await trust.apply()
  }

  /// Calls ``dropUntrusted()`` every second until the task is cancelled.
  package func dropUntrustedEverySecond() async {
    while !Task.isCancelled {
      await dropUntrusted()
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// Delivers notifications when they are due, until the task is cancelled.
  package func notify() async { await notifier.run() }

  /// Tries every notification that is due once.
  package func notifyOnce() async { await notifier.deliverDue() }

  /// Looks for damaged files repeatedly, until the task is cancelled.
  package func scrub() async { await scrubber.run() }

  /// Reads every file once to find damaged ones.
  package func scrubOnce() async throws { try await scrubber.pass() }

  /// Waits until the coordinator cannot continue, and returns the reason; `nil` if the task is cancelled first.
  package func breakdown() async -> String? {
    await farm.breakdowns.first { _ in true }
  }

  /// Ends every open request and every run. The ledger keeps the state for the next start.
  package func stop() async {
    await farm.stop()
    await recorder.pauseRuns()
    await runner.waitForRuns()
    await losses.stop()
    await uploads.stop()
    await farm.close()
  }
}
