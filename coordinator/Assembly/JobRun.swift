import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import ProjectFormat
import Scheduling
import Threads
import Timeline

/// The services that every run uses.
struct Workshop: Sendable {
  let farm: Farm
  let directory: DataDirectory
  let chunks: ChunkStore
  /// The finished files of jobs and recordings.
  let outputs: OutputStore
  let recordings: RecordingStore
  let indexes: MediaIndexCache
  let files: AssetFiles
  let fetcher: AssetFetcher
  let documents: DocumentStore
  let mixes: MixStore
  let tools: any MediaTools
  let limits: PlanningLimits
  /// The room for submissions in memory while jobs are planned, which takes minutes.
  let submissions = SubmissionRoom()
  /// The room for submissions in memory for brief lookups, which never wait for a job that is being planned.
  let lookups = SubmissionRoom()
  /// Limits how many files are assembled at a time.
  let assemblies: AssemblySlots
  /// Limits how many files under media roots are hashed at a time: two in all, and one for each submitter.
  let hashing = FairGate(2)
  /// Limits how many snapshots of recordings are joined for jobs at a time, because each takes as much space again.
  let snapshots = FairGate(1)
  /// Limits how many entire plans are read at a time: four in all, and three for one submitter.
  let planReading = FairGate(4)
  /// The time after which damaged frames are looked for in a job that is being rendered.
  let damageSearchDelay: Duration
  /// Limits the search for damaged frames to one process at a time, which leaves the host to its other work.
  let damageSearches = FairGate(1)
  let space: DiskSpace
  let threads: BlockingThreads
  let clock: FarmClock
  /// The tries of a job that has not run.
  let tries: RunTries
  let log: Log
}

/// Runs one job through its stages: plan, then render, mix and assemble at the same time.
struct JobRun: Sendable {
  let id: JobID
  let shop: Workshop

  var work: WorkFolder { WorkFolder(shop.directory.work(of: id.rawValue)) }

  /// Runs until the job has ended or the task is cancelled.
  func run() async {
    var tries = shop.tries
    while true {
      do {
        try await drive(&tries)
        return await clearUp()
      } catch {
        await clearUp()
        if Self.isOfDamagedAsset(error) { await shop.farm.inspectAssets(of: id) }
        guard !Task.isCancelled, let pause = tries.pause(after: error) else {
          // If the task was cancelled, the job has already ended, or continues after a restart.
          return await shop.farm.fail(id, Self.failure(error))
        }
        shop.log.error("\(Self.failure(error).message): retrying", .job(id))
        if RunTries.isForWantOfSpace(error) { await shop.farm.dropSpares() }
        await wait(pause)
      }
    }
  }

  /// Whether a media process read bytes of an asset that do not match its digests, or the asset is in the quarantine.
  private static func isOfDamagedAsset(_ error: any Error) -> Bool {
    (error as? JobError)?.failure.code == .damagedAsset
  }

  /// Removes the temporary files of a run.
  func clearUp() async {
    await shop.farm.note(mix: nil, of: id)
    try? await shop.threads.run { [work] in work.remove() }
  }

  /// Waits for a while, and then until the disk has room.
  private func wait(_ pause: Duration) async {
    repeat {
      try? await Task.sleep(for: pause)
    } while !Task.isCancelled && shop.space.shortage() != nil
  }

  private static func failure(_ error: any Error) -> JobFailure {
    switch error {
    case let error as JobError: error.failure
    case let error as ProjectError:
      JobFailure(error)
    case let error as StorageError: JobFailure(code: .storage, message: error.message)
    default: JobFailure(code: .coordinator, message: "\(error)")
    }
  }

  /// Plans and renders the job, and makes its file.
  ///
  /// - Parameter tries: begin anew whenever a job that follows a recording has rendered all that is recorded.
  private func drive(_ tries: inout RunTries) async throws {
    try await shop.threads.run { [work] in try work.make() }
    try await adopt()
    try await checkPlan()
    var needsMore = true
    // After a restart, the segments of the plan that was made before are rendered first.
    var keepsPlan = true
    while true {
      let isFinal = try await shop.farm.hasFinalPlan(id)
      let recordings = isFinal ? [] : try await followedRecordings(needingMore: needsMore)
      let start = ContinuousClock.now
      guard let plan = try await prepare(following: recordings, keepsPlan: keepsPlan) else {
        return
      }
      let planning = ContinuousClock.now - start
      if plan.segmentCount > 0 || !plan.isProvisional {
        try await shop.farm.waitForSegmentRoom(plan.segmentCount, of: id)
        // Looked up after the wait, during which other jobs add chunks and retention removes some.
        let reusable = try await ReuseSearch(farm: shop.farm, store: shop.chunks).chunks(of: id)
        let chunks = try await shop.farm.render(id, plan, reusing: reusable)
        guard plan.isProvisional else { return try await finishSearchingDamage(plan, chunks) }
        try await waitForChunks(of: plan, chunks)
        tries = shop.tries
      }
      needsMore = plan.isPartial == true
      if needsMore, plan.excerptCount == recordings.excerptCount {
        try await waitForMore(
          than: recordings, atLeast: min(planning * Self.planningShare, Self.longestWait))
      }
      keepsPlan = false
    }
  }

  /// How many times as long as a plan takes, a job that follows a recording waits for the next one.
  private static let planningShare = 10
  /// The longest such wait.
  private static let longestWait = Duration.seconds(60)

  /// Reads the job's plan, if it has one. A damaged plan is moved to the quarantine, so that the job is planned again.
  private func checkPlan() async throws {
    guard let file = try await shop.farm.planFile(of: id) else { return }
    let verdict = try await shop.planReading.run(for: shop.farm.submitter(of: id)) { [shop] in
      try await BlockingThread.run(named: "plan") { try shop.documents.inspect(.plan(file)) }
    }
    if verdict == .damaged { try await shop.farm.losePlan(of: id) }
  }

  /// A part of the job's plan, for a media process to read.
  ///
  /// - Throws: ``JobError`` if the plan's file is missing. The run then starts again and creates another plan.
  func source(_ part: PlanPart, of plan: PlanFacts) async throws -> PlanSource {
    let path = try await shop.threads.run { [documents = shop.documents] in
      try documents.localPath(of: .plan(plan.file))
    }
    guard let path else { throw JobError.damagedPlan("its file is missing") }
    return PlanSource(path: path, part: part)
  }

  /// Plans the job unless it has a plan, and finds the files of its assets. A job that follows recordings is planned
  /// again when they have more to render.
  ///
  /// - Parameter keepsPlan: whether a plan is kept even if there is more to render.
  /// - Returns: the plan without its lists, which may be long, or `nil` if the job has ended.
  private func prepare(
    following recordings: [FollowedRecording], keepsPlan: Bool
  ) async throws -> PlanFacts? {
    while true {
      let missing = try await supplyAssets(following: recordings)
      do {
        return try await withInputs(in: shop.submissions) { inputs, frozen in
          let plan: PlanFacts
          if let frozen,
            !frozen.isProvisional || keepsPlan || frozen.excerptCount == recordings.excerptCount
          {
            plan = frozen
          } else {
            plan = try await inputs.plan(
              in: work.planning, without: missing, following: recordings)
          }
          try await shop.farm.note(assets: inputs.leasedAssets(of: plan), of: id)
          return plan.withoutLists
        }
      } catch let error as JobError where error.failure.code == .planningQuotaReached {
        // Jobs that wait here hold neither a slot nor their submission.
        try await shop.tools.waitForPlanningTime(of: shop.farm.submitter(of: id))
      }
    }
  }

  /// Reads the job's inputs from the ledger when there is room for them in memory, and runs `body` with them and the
  /// job's plan, if it has one. `body` must not call this again.
  ///
  /// - Parameter room: the room that limits the inputs in memory.
  /// - Returns: `nil` if the job has ended.
  func withInputs<Value>(
    in room: SubmissionRoom, _ body: (JobInputs, PlanFacts?) async throws -> Value
  ) async throws -> Value? {
    try await room.run(
      for: shop.farm.submitter(of: id), byteCount: shop.farm.submissionSize(of: id)
    ) {
      guard let work = try await shop.farm.beginRun(id) else { return nil }
      return try await body(JobInputs(work, of: id, shop: shop), work.plan)
    }
  }

  /// Moves the finished file to its final path, and completes the job.
  func publish(
    _ path: String, writtenAs content: WrittenContent, named name: String, _ type: FileType,
    of chunks: [Digest]
  ) async throws {
    let stored = StoredObject.output(of: id.rawValue, type)
    let file = OutputFile(
      fileName: Self.fileName(name, type), byteCount: content.byteCount,
      sha256: try await shop.outputs.take(path, writtenAs: content, as: stored))
    if Task.isCancelled {
      // A job that was deleted meanwhile has no record that would lead to the file.
      if try await !shop.farm.knows(id) {
        _ = try? await shop.threads.run { [outputs = shop.outputs] in outputs.discard(stored) }
      }
      throw CancellationError()
    }
    try await shop.farm.complete(id, file, of: chunks)
  }

  /// Derives a file name from a job's name. It has no folders, and only characters that every system allows.
  static func fileName(_ name: String, _ type: FileType) -> String {
    let forbidden = Set("/\\:*?\"<>|")
    var stem = String(
      name.map {
        forbidden.contains($0) || !PrintableText.isPrintable($0) ? "_" : $0
      }
      .prefix(100))
    if stem.hasSuffix(".json") { stem.removeLast(5) }
    while stem.hasPrefix(".") { stem.removeFirst() }
    return "\(stem.isEmpty ? "output" : stem).\(type.rawValue)"
  }
}
