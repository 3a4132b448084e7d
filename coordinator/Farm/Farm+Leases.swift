import Crypto
import FarmAPI
import Foundation
import Planning
import Scheduling
import Timeline

extension Farm {
  /// Waits for a lease. If the waiting task is cancelled, the lease that it would have got goes to another worker.
  ///
  /// - Parameter isInForce: returns whether the worker's token has not been revoked. The wait ends when it has; see
  ///   ``endRevoked()``.
  func lease(
    for worker: WorkerID, wait: Duration, while isInForce: @escaping @Sendable () -> Bool
  ) async -> LeaseAnswer {
    let start = clock.now()
    let request = LeaseRequest(
      id: waiters.newRequest(), worker: worker,
      token: LeaseToken(rawValue: SecureRandom.token()), deadline: start + wait)
    let answer: LeaseAnswer = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        guard !isStopping, isInForce() else {
          waiter.resume(returning: .nothing)
          return
        }
        // Transitions that are not written yet must not grow with every request while the disk is full. Work that is
        // already leased may use the reserve to finish.
        makeRoom()
        guard (try? write([])) != nil, space.shortage() == nil else {
          waiter.resume(returning: .unavailable)
          return
        }
        waiters.add(request.id, waiter, while: isInForce)
        dispatch(.leaseWanted(request))
      }
    } onCancel: {
      Task { await self.stopWaiting(request.id) }
    }
    if Task.isCancelled, case .granted(let lease) = answer {
      giveBack(lease.token)
      return .nothing
    }
    if case .granted = answer { meters.granted(after: clock.now() - start) }
    return answer
  }

  private func stopWaiting(_ request: RequestID) {
    guard waiters.answer(request, .nothing) else { return }
    dispatch(.leaseUnwanted(request))
  }

  /// Ends the waits for a lease and the event streams of tokens that have been revoked.
  func endRevoked() {
    for request in waiters.revoked { stopWaiting(request) }
    feed.endRevoked()
  }

  /// Renews a lease.
  func heartbeat(_ token: LeaseToken, _ heartbeat: Heartbeat) throws -> HeartbeatAnswer {
    let actions = dispatch(
      .heartbeat(
        token, framesRendered: heartbeat.framesRendered, assetBytes: heartbeat.assetBytes ?? 0,
        waitsForAssets: heartbeat.waitsForAssets ?? false))
    for case .answerHeartbeat(token, let stop) in actions {
      if let attempt = scheduler.runningAttempt(under: token) {
        let grant = attempt.grant
        attemptNotes.note(framesRendered: attempt.framesRendered, of: token)
        note(workerLog: heartbeat.log, of: token)
        renderMeter.note(token, by: grant.worker, attempt.framesRendered, at: clock.now())
        noteProgress(grant.segment.job)
        changed(grant.segment.job)
        changed(grant.worker)
      }
      return HeartbeatAnswer(stop: stop)
    }
    throw FarmError.staleLease
  }

  /// The size limit of a lease's chunk, in bytes.
  func chunkByteLimit(under token: LeaseToken) -> Int {
    let grant = scheduler.runningAttempt(under: token)?.grant
    return grant.map { limits(of: $0.segment.job).chunkBytes } ?? jobLimits.chunkBytes
  }

  /// The size limit of the chunk of a lease that is in force, in bytes.
  ///
  /// - Throws: ``FarmError`` if the lease has ended.
  func chunkByteLimit(underRunning token: LeaseToken) throws -> Int {
    dispatch(.timePassed)
    guard let grant = scheduler.runningAttempt(under: token)?.grant else {
      throw FarmError.staleLease
    }
    return limits(of: grant.segment.job).chunkBytes
  }

  /// Decides whether a chunk is wanted, before its bytes are read.
  func offer(
    _ token: LeaseToken, _ manifest: ChunkManifest, of caller: Caller
  ) throws -> ChunkOffer {
    dispatch(.timePassed)
    guard let grant = scheduler.runningAttempt(under: token)?.grant else {
      try admitLate(token, manifest.sha256)
      return .acceptedBefore
    }
    let expected = scheduler.frames(of: grant.segment)?.count
    guard manifest.frameCount == expected else {
      throw refuse(
        token, "the chunk has \(manifest.frameCount) frames, but the lease is for \(expected ?? 0)")
    }
    let codec = jobs[grant.segment.job]?.codec ?? .h264
    guard ParameterSetCheck.areValid(manifest.parameterSets, of: codec) else {
      throw refuse(token, "the manifest has no parameter sets of \(codec.rawValue)")
    }
    return .wanted(note: note(on: grant, manifest, of: caller)?.text)
  }

  /// Accepts a chunk under a lease that has ended, if it equals the chunk that its segment already has.
  private func admitLate(_ token: LeaseToken, _ chunk: Digest) throws {
    guard let accepted = try ledger.acceptedChunk(of: token) else { throw FarmError.staleLease }
    guard accepted == chunk else {
      counters.chunksDiffering += 1
      log.error("the late chunk \(chunk) differs from the accepted chunk \(accepted)")
      throw FarmError.staleLease
    }
  }

  /// Counts a chunk that is not what the lease asked for as a failure of its worker.
  @discardableResult
  func refuse(_ token: LeaseToken, _ reason: String) -> FarmError {
    counters.chunksRefused += 1
    dispatch(.attemptFailed(token, .invalidChunk(reason)))
    return FarmError(.invalidChunk, reason)
  }

  /// Counts a chunk or manifest that arrived damaged. The worker may send it again a few times.
  func refuseDamaged(_ token: LeaseToken, _ reason: String) -> FarmError {
    counters.chunksRefused += 1
    // If the lease has ended, no attempt can fail. The answer to the next delivery tells the worker what became of it.
    if scheduler.runningAttempt(under: token) != nil {
      attemptNotes.add("the chunk arrived damaged: \(reason)", to: token, at: clock.date())
      dispatch(.chunkDamaged(token, .invalidChunk(reason)))
      guard scheduler.runningAttempt(under: token) != nil else {
        return FarmError(.invalidChunk, reason)
      }
    }
    return FarmError(
      .damagedChunk, "\(reason): it changed in transit: send the chunk again")
  }

  /// Records that bytes of a lease's chunk are arriving.
  func chunkArrives(_ token: LeaseToken) {
    dispatch(.chunkArriving(token))
  }

  /// Accepts a chunk that is checked and on disk.
  ///
  /// - Parameter isInForce: whether the caller's token has not been revoked. It is checked here, because bringing a
  ///   chunk to disk takes time, and the chunks of a revoked token are forgotten between two calls of the farm.
  func accept(
    _ token: LeaseToken, _ chunk: DeliveredChunk, of caller: Caller,
    if isInForce: @Sendable () -> Bool
  ) throws {
    guard isInForce() else {
      throw AccessError.unauthorized("the token was revoked while the chunk was being delivered")
    }
    dispatch(.timePassed)
    guard let grant = scheduler.runningAttempt(under: token)?.grant else {
      try admitLate(token, chunk.sha256)
      counters.chunksRepeated += 1
      return
    }
    note(workerLog: chunk.log, of: token)
    // Meanwhile, another job that shared the chunk may have completed and its chunks been removed.
    guard chunkStore.contains(chunk.sha256) else { throw FarmError.tryAgain }
    if audits(grant) { return try hold(grant, chunk, of: caller) }
    let keeping = keeping(
      chunk.sha256, chunk.byteCount, of: grant.segment,
      fingerprint: scheduler.fingerprint(of: grant.segment.job))
    let accepted = Transition.chunkAccepted(
      grant, chunk, by: Deliverer(caller), at: clock.date())
    try keepDelivery(
      of: grant, [accepted, logged(grant, .completed)] + [keeping].compactMap(\.self))
    counters.chunkBytes += chunk.byteCount
    jobs[grant.segment.job]?.chunks?.yield(
      .accepted(AcceptedChunk(segment: grant.segment.index, sha256: chunk.sha256)))
    dispatch(.chunkAccepted(token))
  }

  /// Commits the transitions of a delivered chunk to the ledger.
  ///
  /// - Throws: a ``FarmError`` that tells the worker whether to try again.
  func keepDelivery(of grant: Grant, _ transitions: [Transition]) throws {
    do {
      try write(transitions)
    } catch let error as TransitionError where error.cause.isFinal {
      endRefused(grant.segment.job, error)
      throw FarmError.staleLease
    } catch {
      throw FarmError.tryAgain
    }
  }

  /// Handles a worker's failure report.
  func fail(_ token: LeaseToken, _ report: FailureReport) throws {
    var report = report
    note(workerLog: report.log, of: token)
    report.log = nil
    if report.isOfAsset {
      // The worker cannot know whether another attempt would help.
      report.isPermanent = false
      if let segment = scheduler.runningAttempt(under: token)?.grant.segment {
        inspectAssets(of: segment)
      }
    }
    if dispatch(.attemptFailed(token, report)).contains(.rejectStale(token)) {
      throw FarmError.staleLease
    }
  }

  /// Takes back a lease, if it is in force.
  func giveBack(_ token: LeaseToken) {
    dispatch(.leaseGivenBack(token))
  }
}

extension FailureReport {
  fileprivate static func invalidChunk(_ reason: String) -> FailureReport {
    FailureReport(code: .invalidChunk, message: reason, isPermanent: false)
  }
}
