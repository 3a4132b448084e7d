import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling
import Threads

/// Assembles a job's file while its segments are rendered: performs what ``AssemblyProgress`` decides.
extension JobRun {
  /// Mixes while the segments are rendered, then appends chunks as soon as those before them are there.
  func finish(_ plan: PlanFacts, _ chunks: AsyncStream<ChunkNews>) async throws {
    let mix = try await mix(plan)
    let output = work.output(plan.fileType)
    let beginning = AssemblyBeginning(
      plan: try await source(plan.head, of: plan), mix: mix,
      chunks: work.chunks, output: output, isDurable: Durability.isRequired(of: output))
    let frameCounts = try await shop.farm.frameCounts(of: id)
    var progress = AssemblyProgress(
      segmentCount: frameCounts.count, patience: AssemblySlots.patience)
    let events = AssemblyEvents(chunks)
    defer { events.end() }
    var iterator = events.stream.makeAsyncIterator()
    let submitter = await shop.farm.submitter(of: id)
    var finished: (content: WrittenContent, name: String)?
    while finished == nil {
      while case .wait = progress.next { _ = try await take(&iterator, into: &progress) }
      _ = progress.take(.slotRequested)
      finished = try await shop.assemblies.run(for: submitter) {
        let ticks = events.begin(tickingEvery: AssemblySlots.patience)
        defer { ticks.cancel() }
        return try await assemble(beginning, frameCounts, &progress, &iterator)
      }
    }
    guard let finished else { return }
    try await publish(
      output, writtenAs: finished.content, named: finished.name, plan.fileType,
      of: progress.appended)
  }

  /// Assembles the file in the job's slot.
  ///
  /// - Returns: what was written, and the job's name; `nil` if the job gave its slot to another.
  private func assemble(
    _ beginning: AssemblyBeginning, _ frameCounts: [Int32], _ progress: inout AssemblyProgress,
    _ events: inout AsyncStream<AssemblyEvent>.Iterator
  ) async throws -> (content: WrittenContent, name: String)? {
    var assembly: (any FileAssembly)?
    while true {
      let effects: [AssemblyProgress.Effect]
      switch (progress.next, assembly) {
      case (.begin, _):
        assembly = try await shop.tools.assemble(beginning)
        effects = progress.take(.begun)
      case (.append(let segment, let chunk), let assembly?):
        effects = progress.take(
          try await append(chunk, of: segment, Int(frameCounts[segment]), to: assembly))
      case (.finish, let assembly?):
        return try await complete(assembly)
      case (.wait, _):
        effects = try await take(&events, into: &progress)
      case (.takeSlot, _), (.append, nil), (.finish, nil):
        preconditionFailure("a step without a slot or a file")
      }
      for effect in effects {
        switch effect {
        case .abandon:
          await assembly?.abandon()
          assembly = nil
        case .leaveSlot: return nil
        case .refuse(let segment, let failure):
          try await shop.farm.refuse(chunkOf: SegmentID(job: id, index: segment), failure)
        case .lose(let segment):
          try await shop.farm.lose(chunkOf: SegmentID(job: id, index: segment))
        case .fail(let failure): throw JobError(failure)
        }
      }
    }
  }

  /// Waits for the next event.
  ///
  /// - Throws: ``JobError`` if there are no more, `CancellationError` if the job has ended.
  private func take(
    _ events: inout AsyncStream<AssemblyEvent>.Iterator, into progress: inout AssemblyProgress
  ) async throws -> [AssemblyProgress.Effect] {
    guard let event = await events.next() else {
      try Task.checkCancellation()
      throw JobError(
        .coordinator,
        "the file is incomplete: only \(progress.appended.count) of \(progress.segmentCount) chunks "
          + "were appended: retry the job")
    }
    switch event {
    case .news(.accepted(let chunk)):
      return progress.take(.accepted(segment: chunk.segment, chunk.sha256))
    case .news(.restarted): return progress.take(.restarted)
    case .slotGranted: return progress.take(.slotGranted(at: shop.clock.now()))
    case .tick:
      return progress.take(.tick(at: shop.clock.now(), isWanted: shop.assemblies.areWanted))
    }
  }

  /// Finishes the file, if the assets are still the same.
  private func complete(
    _ assembly: any FileAssembly
  ) async throws -> (content: WrittenContent, name: String) {
    try Task.checkCancellation()
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

  /// Appends a chunk, and returns the resulting event.
  private func append(
    _ chunk: Digest, of segment: Int, _ frameCount: Int, to assembly: any FileAssembly
  ) async throws -> AssemblyProgress.Event {
    do {
      let outcome = try await append(chunk, frameCount, to: assembly)
      let now = shop.clock.now()
      switch (outcome, outcome.failure) {
      case (.appended(let isFull), _):
        shop.chunks.noteRead(chunk)
        return .appended(isFull: isFull, at: now)
      case (.bad, let failure?): return .bad(failure, at: now)
      case (.unwritable, let failure?):
        shop.log.error("\(failure.message)", .segment(segment, of: id))
        return .unwritable(failure, at: now)
      case (_, let failure):
        let wasUnread = shop.chunks.isUnread(chunk)
        let verdict = try await BlockingThread.run(named: "chunk") { [shop] in
          try shop.chunks.inspect(chunk) { _ in }
        }
        // The bytes changed between the disk and the process, or could not be read for a while.
        if verdict == .sound, let failure { throw JobError(failure) }
        // A chunk that disappeared may have been as its worker stated.
        guard wasUnread, verdict == .damaged, case .damaged = outcome else {
          return .lost(at: shop.clock.now())
        }
        return .bad(
          JobFailure(
            code: .badChunk,
            message: "the chunk of segment \(segment) does not match the digest that its worker "
              + "stated: render the segment again"), at: shop.clock.now())
      }
    } catch let error as JobError where error.failure.code == .mediaProcessDied {
      shop.log.error("\(error)", .segment(segment, of: id))
      return .died(error.failure, at: shop.clock.now())
    }
  }

  /// Appends a chunk. The assembling process can read it only during this call.
  private func append(
    _ chunk: Digest, _ frameCount: Int, to assembly: any FileAssembly
  ) async throws -> ChunkOutcome {
    let lent: String
    do {
      lent = try await shop.threads.run { [work, shop] in
        try work.lend(chunk, from: shop.chunks)
      }
    } catch let error as JobError where error.failure.code == .damagedChunk {
      return .damaged(error.failure.message)
    }
    let outcome: Result<ChunkOutcome, any Error>
    do {
      outcome = .success(
        try await assembly.append(chunk: lent, sha256: chunk, frameCount: frameCount))
    } catch {
      outcome = .failure(error)
    }
    try? await shop.threads.run { [work] in work.takeBack(lent) }
    return try outcome.get()
  }
}
