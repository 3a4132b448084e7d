import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling
import Threads

/// Assembles a job's file while its segments are rendered.
extension JobRun {
  /// The maximum number of deaths of assembling processes that are attributed to chunks.
  private static let deathLimit = 8

  /// Mixes the sound while segments are rendered, then appends each chunk as soon as all earlier chunks have arrived.
  func finish(_ plan: PlanFacts, _ chunks: AsyncStream<ChunkNews>) async throws {
    let mix = try await mix(plan)
    let output = work.output(plan.fileType)
    let beginning = AssemblyBeginning(
      plan: PlanSource(path: shop.documents.plan(plan.file), part: plan.head), mix: mix,
      chunks: work.chunks, output: output)
    var file = GrowingFile(frameCounts: try await shop.farm.frameCounts(of: id))
    let events = AssemblyEvents(chunks)
    defer { events.end() }
    var iterator = events.stream.makeAsyncIterator()
    let submitter = await shop.farm.submitter(of: id)
    var finished: (content: WrittenContent, name: String)?
    while finished == nil {
      // A job that cannot append anything waits without a place or a process.
      while !file.mayBegin, let event = await iterator.next() { file.take(event) }
      try Task.checkCancellation()
      guard file.mayBegin else { throw file.incomplete }
      finished = try await shop.assemblies.run(for: submitter) {
        let ticks = events.begin(tickingEvery: AssemblyPlaces.patience)
        defer { ticks.cancel() }
        return try await assemble(beginning, &file, &iterator)
      }
    }
    guard let finished else { return }
    try await publish(
      output, writtenAs: finished.content, named: finished.name, plan.fileType, of: file.appended)
  }

  /// Appends chunks to a new file until it is finished.
  ///
  /// - Returns: the written content and the job's name, or `nil` if the job gave up its place to another.
  private func assemble(
    _ beginning: AssemblyBeginning, _ file: inout GrowingFile,
    _ events: inout AsyncStream<AssemblyEvent>.Iterator
  ) async throws -> (content: WrittenContent, name: String)? {
    // The job may have restarted while it waited for its place.
    placing: while let event = await events.next() {
      if case .placed = event { break placing }
      file.take(event)
    }
    var assembly: (any FileAssembly)?
    if file.frameCounts.isEmpty { assembly = try await shop.tools.assemble(beginning) }
    var idleSince = ContinuousClock.now
    // A full file does not need the remaining segments. When the job completes, workers stop rendering them.
    while !file.isComplete {
      while !file.isFull, let chunk = file.nextChunk {
        let begun = if let assembly { assembly } else { try await shop.tools.assemble(beginning) }
        assembly = begun
        let outcome = try await append(chunk, to: &file, begun)
        idleSince = .now
        if outcome == .spoilt {
          await begun.abandon()
          assembly = nil
        }
        if outcome == .refused { break }
      }
      guard !file.isComplete, let event = await events.next() else { break }
      if case .tick = event, file.nextChunk == nil, shop.assemblies.areWanted,
        ContinuousClock.now - idleSince >= AssemblyPlaces.patience
      {
        await assembly?.abandon()
        file.putOff()
        return nil
      }
      if case .news(.restarted) = event {
        await assembly?.abandon()
        assembly = nil
      }
      file.take(event)
    }
    try Task.checkCancellation()
    guard let assembly, file.isComplete else { throw file.incomplete }
    // The files that the workers and the mix have read may have changed meanwhile. Changed files are hashed first,
    // because that takes long.
    _ = try await supplyAssets(fetching: false)
    let name = try await withInputs(in: shop.lookups) { inputs, _ in
      try await inputs.assureUnchanged()
      return inputs.submission.name
    }
    guard let name else { throw CancellationError() }
    return (try await assembly.finish(), name)
  }

  private enum AppendOutcome {
    case appended
    /// The chunk will be rendered again, and the file is unchanged.
    case refused
    /// The file has to be started again.
    case spoilt
  }

  /// Appends the next chunk, or has its segment rendered again if it is bad.
  private func append(
    _ chunk: Digest, to file: inout GrowingFile, _ assembly: any FileAssembly
  ) async throws -> AppendOutcome {
    let index = file.appended.count
    let segment = SegmentID(job: id, index: index)
    do {
      let isFull = try await append(chunk, Int(file.frameCounts[index]), to: assembly)
      file.append(chunk, isFull: isFull)
      return .appended
    } catch let error as JobError where error.failure.code == "bad-chunk" {
      // The file is unchanged, so another chunk of the segment can be appended to it.
      file.drop(index)
      try await shop.farm.refuse(chunkOf: segment, error.failure)
      return .refused
    } catch let error as JobError
      where [JobError.damagedChunkCode, JobError.readFailedCode].contains(error.failure.code)
    {
      let isSound = try await BlockingThread.run(named: "chunk") { [shop] in
        try shop.chunks.isSound(chunk)
      }
      // The bytes were damaged while they were read, or could not be read for a while.
      if isSound { throw error }
      file.drop(index)
      try await shop.farm.lose(chunkOf: segment)
      return .refused
    } catch let error as JobError
      where Self.spoilsFile(error) && file.deaths.count < Self.deathLimit
    {
      // The file is started again. If the process dies at the same chunk a second time, the chunk is bad.
      shop.log.error("job \(id): segment \(index): \(error)")
      let hasDied = error.failure.code == MediaChildren.deathCode
      if !hasDied || file.deaths.contains(index) {
        file.drop(index)
        try await shop.farm.refuse(chunkOf: segment, error.failure)
      }
      if hasDied { file.deaths.append(index) }
      file.beginAgain()
      return .spoilt
    }
  }

  /// Gives the assembling process access to a chunk and appends it. Returns whether the file is full.
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

  /// Whether an error at a chunk leaves the file unusable.
  private static func spoilsFile(_ error: JobError) -> Bool {
    [MediaChildren.deathCode, "unwritable-chunk"].contains(error.failure.code)
  }
}
