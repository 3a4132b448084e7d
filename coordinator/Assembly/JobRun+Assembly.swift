import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling
import Threads

/// Assembles a job's file while its segments are rendered: performs what ``AssemblyProgress`` decides.
extension JobRun {
  /// Mixes the sound, and meanwhile appends chunks as soon as those before them, and their sound, are there.
  func finish(_ plan: PlanFacts, _ chunks: AsyncStream<ChunkNews>) async throws {
    let events = AssemblyEvents(chunks)
    defer { events.end() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await makeSound(of: plan, telling: events) }
      group.addTask { try await assemble(plan, after: events) }
      // The first error ends the other task.
      for try await _ in group {}
    }
  }

  /// Mixes the job's sound, if it has any, and reports the outcome as an event.
  private func makeSound(of plan: PlanFacts, telling events: AssemblyEvents) async throws {
    guard let sound = plan.sound else { return }
    do {
      events.tell(.mixed(try await mix(sound, of: plan) { events.tell(.sound($0)) }))
    } catch {
      events.tell(.unmixed)
      throw error
    }
  }

  /// Makes the job's file and publishes it.
  private func assemble(_ plan: PlanFacts, after events: AssemblyEvents) async throws {
    let output = work.output(plan.fileType)
    let frameCounts = try await shop.farm.frameCounts(of: id)
    var file = FileInProgress(
      beginning: AssemblyBeginning(
        plan: try await source(plan.head, of: plan), sound: nil, chunks: work.chunks,
        assets: try await copiedAssets(of: plan), output: output,
        isDurable: Durability.isRequired(of: output)),
      frameCounts: frameCounts,
      progress: AssemblyProgress(
        segmentCount: frameCounts.count, patience: AssemblySlots.patience,
        mixesSound: plan.sound != nil),
      sound: try SoundSupply(
        of: frameCounts, lasting: plan.frameDuration, in: work.soundParts,
        isSilent: plan.sound == nil))
    var iterator = events.stream.makeAsyncIterator()
    let submitter = await shop.farm.submitter(of: id)
    var finished: (content: WrittenContent, name: String)?
    do {
      while finished == nil {
        while case .wait = file.progress.next { _ = try await take(&iterator, into: &file) }
        _ = file.progress.take(.slotRequested)
        finished = try await shop.assemblies.run(for: submitter) {
          let ticks = events.begin(tickingEvery: AssemblySlots.patience)
          defer { ticks.cancel() }
          return try await assemble(&file, &iterator)
        }
      }
    } catch let error where RunTries.isPassing(error) && !RunTries.isForWantOfSpace(error) {
      // The mix, which may have taken hours already, is finished for the next run.
      if plan.sound != nil, let sharing = try? await shop.farm.mixSharing(of: id), sharing.mayReuse
      {
        await waitForMix(&iterator, of: file)
      }
      throw error
    }
    guard let finished else { return }
    try await publish(
      output, writtenAs: finished.content, named: finished.name, plan.fileType,
      of: file.progress.appended)
  }

  /// The files of the assets to which chunks refer. `plan` lacks its lists.
  private func copiedAssets(of plan: PlanFacts) async throws -> [ReferencedAsset] {
    guard plan.copiedAssets != nil else { return [] }
    // Changed files are hashed first, because that takes long.
    _ = try await supplyAssets(fetching: false)
    let assets = try await withInputs(in: shop.lookups) { inputs, plan in
      // The file may disappear at any time. The run then starts again and creates another plan.
      guard let plan else { throw JobError.damagedPlan("its file is missing") }
      return try await inputs.copiedAssets(of: plan)
    }
    guard let assets else { throw CancellationError() }
    return assets
  }

  /// Waits until the mix is finished or cannot be finished, or the job has ended.
  private func waitForMix(
    _ events: inout AsyncStream<AssemblyEvent>.Iterator, of file: FileInProgress
  ) async {
    guard !file.sound.isFinished else { return }
    while let event = await events.next() {
      switch event {
      case .mixed, .unmixed: return
      case .news, .sound, .slotGranted, .tick: break
      }
    }
  }

  /// A job's file while it is assembled.
  private struct FileInProgress {
    var beginning: AssemblyBeginning
    let frameCounts: [Int32]
    var progress: AssemblyProgress
    var sound: SoundSupply

    /// Discards the file, which has to wait for the finished mix.
    mutating func withdrawSound() -> [AssemblyProgress.Effect] {
      sound.withdraw()
      return progress.take(.soundWithdrawn)
    }
  }

  /// Assembles the file in the job's slot.
  ///
  /// - Returns: what was written, and the job's name; `nil` if the job gave its slot to another.
  private func assemble(
    _ file: inout FileInProgress, _ events: inout AsyncStream<AssemblyEvent>.Iterator
  ) async throws -> (content: WrittenContent, name: String)? {
    var assembly: (any FileAssembly)?
    while true {
      let effects: [AssemblyProgress.Effect]
      switch (file.progress.next, assembly) {
      case (.begin, _):
        file.beginning.sound = try file.sound.begin()
        do {
          assembly = try await shop.tools.assemble(file.beginning)
          effects = file.progress.take(.begun)
        } catch let error where file.sound.hasUnusableParts(error) {
          effects = file.withdrawSound()
        }
      case (.append(let segment, let chunk), let assembly?):
        effects =
          if let refusal = try await addSound(of: &file, to: assembly) {
            refusal
          } else {
            file.progress.take(
              try await append(chunk, of: segment, Int(file.frameCounts[segment]), to: assembly))
          }
      case (.finish, let assembly?):
        if let refusal = try await addSound(of: &file, to: assembly) {
          effects = refusal
        } else {
          return try await complete(assembly)
        }
      case (.wait, _):
        effects = try await take(&events, into: &file)
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
    _ events: inout AsyncStream<AssemblyEvent>.Iterator, into file: inout FileInProgress
  ) async throws -> [AssemblyProgress.Effect] {
    guard let event = await events.next() else {
      try Task.checkCancellation()
      throw JobError(
        .coordinator,
        "the file is incomplete: only \(file.progress.appended.count) of "
          + "\(file.progress.segmentCount) chunks were appended: retry the job")
    }
    switch event {
    case .news(.accepted(let chunk)):
      return file.progress.take(.accepted(segment: chunk.segment, chunk.sha256))
    case .news(.restarted): return file.progress.take(.restarted)
    case .sound(let news):
      guard let segments = file.sound.take(news) else { return file.withdrawSound() }
      return file.progress.take(.soundArrived(segments: segments))
    case .mixed(let mix):
      let effects = file.progress.take(.soundCompleted)
      return file.sound.take(mix) ? effects : effects + file.withdrawSound()
    // The error of the mix ends the run.
    case .unmixed: return []
    case .slotGranted: return file.progress.take(.slotGranted(at: shop.clock.now()))
    case .tick:
      return file.progress.take(.tick(at: shop.clock.now(), isWanted: shop.assemblies.areWanted))
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

  /// Adds the parts of the sound that the file lacks.
  ///
  /// - Returns: the effects if the parts cannot be used; `nil` if they are added.
  private func addSound(
    of file: inout FileInProgress, to assembly: any FileAssembly
  ) async throws -> [AssemblyProgress.Effect]? {
    let parts = file.sound.next()
    guard !parts.isEmpty else { return nil }
    do {
      try await assembly.add(parts)
      return nil
    } catch let error where file.sound.hasUnusableParts(error) {
      return file.withdrawSound()
    }
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
    let referenced: Int64
    do {
      (lent, referenced) = try await shop.threads.run { [work, shop] in
        let path = try work.lend(chunk, from: shop.chunks)
        // If it cannot be read, the assembling process says so.
        return (path, (try? ReferenceTable.Target(ofFile: path))?.byteCount ?? 0)
      }
    } catch let error as JobError where error.failure.code == .damagedChunk {
      return .damaged(error.failure.message)
    }
    let outcome: Result<ChunkOutcome, any Error>
    do {
      outcome = .success(
        try await assembly.append(
          chunk: lent, sha256: chunk, frameCount: frameCount, referringTo: referenced))
    } catch {
      outcome = .failure(error)
    }
    try? await shop.threads.run { [work] in work.takeBack(lent) }
    return try outcome.get()
  }
}
