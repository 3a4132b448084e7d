import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling
import Threads
import Timeline

/// What every run needs.
struct Workshop: Sendable {
  let farm: Farm
  let directory: DataDirectory
  let chunks: ChunkStore
  let outputs: OutputStore
  let indexes: MediaIndexCache
  let files: AssetFiles
  let fetcher: AssetFetcher
  let documents: DocumentStore
  let tools: any MediaTools
  let limits: PlanningLimits
  /// Where files under media roots are hashed: one for each submitter at a time, and two in all.
  let hashing = FairGate(2)
  let space: DiskSpace
  let threads: BlockingThreads
  let log: Log
}

/// Drives one job from stage to stage: plan, mix beside the rendering, assemble.
struct JobRun: Sendable {
  let id: JobID
  let shop: Workshop

  /// How many deaths of a job's assembly are put down to its chunks.
  private static let deathLimit = 8

  var work: WorkFolder { WorkFolder(shop.directory.work(of: id.rawValue)) }

  /// Runs until the job has come to an end, or the task is cancelled.
  func run() async {
    var tries = RunTries()
    while true {
      do {
        try await drive()
        return await clearUp()
      } catch {
        await clearUp()
        if Self.isOfDamagedAsset(error) { await shop.farm.inspectAssets(of: id) }
        guard !Task.isCancelled, let pause = tries.pause(after: error) else {
          // Whoever cancels has ended the job, or will take it up again after a restart.
          return await shop.farm.fail(id, Self.failure(error))
        }
        shop.log.error("job \(id): \(Self.failure(error).message): it goes on when it can")
        if RunTries.isForWantOfSpace(error) { await shop.farm.dropSpareChunks() }
        await wait(pause)
      }
    }
  }

  /// Whether a media process read bytes of an asset that do not match its digests.
  private static func isOfDamagedAsset(_ error: any Error) -> Bool {
    (error as? JobError)?.failure.code == FailureReport.damagedAssetCode
  }

  /// Removes what a run leaves half done.
  func clearUp() async {
    try? await shop.threads.run { [work] in work.remove() }
  }

  /// Waits for a while, and then for room on the disk.
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
    case let error as StorageError: JobFailure(code: "storage", message: error.message)
    default: JobFailure(code: "coordinator", message: "\(error)")
    }
  }

  private func drive() async throws {
    try await shop.threads.run { [work] in try work.make() }
    try await adopt()
    guard let begun = try await shop.farm.beginRun(id) else { return }
    let plan: PlanFacts
    if let frozen = begun.plan {
      try await JobInputs(begun, of: id, shop: shop).fetchAgain()
      plan = frozen
    } else {
      var inputs = JobInputs(begun, of: id, shop: shop)
      plan = try await inputs.plan(in: work.planning)
    }
    try await shop.farm.note(
      assets: inputs().leasedAssets(of: plan), of: id)
    let reusable = try await ChunkReuse(farm: shop.farm, store: shop.chunks).chunks(of: id)
    let chunks = try await shop.farm.render(id, plan, reusing: reusable)
    try await finish(plan, chunks)
  }

  /// Mixes while the segments are rendered, then appends chunks as soon as those before them are there.
  private func finish(
    _ plan: PlanFacts, _ chunks: AsyncStream<ChunkNews>
  ) async throws {
    let mix = try await mix(plan)
    let output = work.output(plan.fileType)
    let beginning = AssemblyBeginning(
      plan: PlanSource(path: shop.documents.plan(plan.file), part: plan.head), mix: mix,
      chunks: work.chunks, output: output)
    let frames = try await shop.farm.frameCounts(of: id)
    // A job that waits its turn holds no process: the first chunk starts it.
    var assembly: (any FileAssembly)?
    var waiting: [Int: Digest] = [:]
    var appended: [Digest] = []
    var next: Int { appended.count }
    var isFull = false
    /// At which segments the assembly has died.
    var deaths: [Int] = []
    if frames.isEmpty { assembly = try await shop.tools.assemble(beginning) }
    var news = chunks.makeAsyncIterator()
    // What is still being rendered when the file is full is called off as the job completes.
    while next < frames.count, !isFull, let event = await news.next() {
      switch event {
      case .accepted(let chunk): waiting[chunk.segment] = chunk.sha256
      case .restarted: (assembly, waiting, appended) = (nil, [:], [])
      }
      while !isFull, let sha256 = waiting.removeValue(forKey: next) {
        let begun = if let assembly { assembly } else { try await shop.tools.assemble(beginning) }
        assembly = begun
        do {
          isFull = try await append(sha256, Int(frames[next]), to: begun)
        } catch let error as JobError where error.failure.code == "bad-chunk" {
          // The file is as before: another chunk of the segment goes on with it.
          try await shop.farm.refuse(chunkOf: SegmentID(job: id, index: next), error.failure)
          break
        } catch let error as JobError
          where [JobError.damagedChunkCode, JobError.readFailedCode].contains(error.failure.code)
        {
          let isSound = try await BlockingThread.run(named: "chunk") { [shop] in
            try shop.chunks.isSound(sha256)
          }
          if isSound {
            // The bytes changed on their way from the disk, or could not be read for a while.
            throw error
          }
          try await shop.farm.lose(chunkOf: SegmentID(job: id, index: next))
          break
        } catch let error as JobError
          where Self.spoilsFile(error) && deaths.count < Self.deathLimit
        {
          // Begun again; a chunk that it dies of once more is bad.
          shop.log.error("job \(id): segment \(next): \(error)")
          for (index, earlier) in appended.enumerated() { waiting[index] = earlier }
          let hasDied = error.failure.code == MediaChildren.deathCode
          if hasDied, !deaths.contains(next) {
            waiting[next] = sha256
          } else {
            try await shop.farm.refuse(chunkOf: SegmentID(job: id, index: next), error.failure)
          }
          if hasDied { deaths.append(next) }
          (assembly, appended) = (nil, [])
          continue
        }
        appended.append(sha256)
      }
    }
    try Task.checkCancellation()
    guard let assembly, isFull || next == frames.count else {
      throw JobError("coordinator", "only \(next) of \(frames.count) chunks were appended")
    }
    // What the workers and the mix have read may have been written to meanwhile.
    let inputs = try await inputs()
    try await inputs.assureUnchanged()
    let content = try await assembly.finish()
    try await publish(
      output, writtenAs: content, named: inputs.submission.name, plan.fileType, of: appended)
  }

  /// Appends a chunk, which the assembling process reaches meanwhile, and says whether the file is full.
  private func append(
    _ chunk: Digest, _ frameCount: Int, to assembly: any FileAssembly
  ) async throws -> Bool {
    let lent = try await shop.threads.run { [work, shop] in
      try work.lend(shop.chunks.path(of: chunk))
    }
    let outcome: Result<Bool, any Error>
    do {
      outcome = .success(
        try await assembly.append(chunk: lent, sha256: chunk, frameCount: frameCount))
    } catch {
      outcome = .failure(error)
    }
    try? await shop.threads.run { [work] in work.takeBack(lent) }
    return try outcome.get()
  }

  /// Whether a chunk's error leaves a file that no other chunk can be appended to.
  private static func spoilsFile(_ error: JobError) -> Bool {
    [MediaChildren.deathCode, "unwritable-chunk"].contains(error.failure.code)
  }

  /// Reads the job's inputs from the ledger; they are not kept in memory while the job is rendered.
  private func inputs() async throws -> JobInputs {
    guard let work = try await shop.farm.beginRun(id) else { throw CancellationError() }
    return JobInputs(work, of: id, shop: shop)
  }

  private func mix(_ plan: PlanFacts) async throws -> AssetFile? {
    guard let mix = plan.sound else { return nil }
    let source = PlanSource(path: shop.documents.plan(plan.file), part: mix.part)
    let sound = try await shop.tools.mix(
      MixRequest(
        mix: source, files: try await inputs().files(of: mix), output: work.mix,
        blocks: work.mixBlocks), mix)
    shop.log.info("job \(id): sound mixed")
    try await shop.farm.note(sound.report, of: id)
    return AssetFile(
      path: work.mix, blocks: BlockList(path: work.mixBlocks, digest: sound.blocks))
  }

  private func publish(
    _ path: String, writtenAs content: WrittenContent, named name: String, _ type: FileType,
    of chunks: [Digest]
  ) async throws {
    let final = shop.directory.output(of: id.rawValue, type)
    let file = try await BlockingThread.run(named: "output") {
      OutputFile(
        fileName: Self.fileName(name, type), byteCount: content.byteCount,
        sha256: try shop.outputs.take(path, writtenAs: content, to: final))
    }
    try Task.checkCancellation()
    try await shop.farm.complete(id, file, of: chunks)
  }

  /// A file name made of a job's name: without folders, and of what every system takes.
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
