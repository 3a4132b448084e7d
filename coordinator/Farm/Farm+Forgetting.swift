import Crypto
import FarmAPI
import Planning
import Scheduling

extension Farm {
  /// Drops the selected chunks: those kept for later jobs are removed, and segments of unfinished jobs are rendered
  /// again. Finished files stay; the log names them.
  ///
  /// - Parameter isNew: whether these chunks have not been logged before, so that the log names them even if none is
  ///   left to drop.
  /// - Throws: an error of the ledger. Chunks that were dropped before it stay dropped.
  func forget(_ selection: ChunkSelection, isNew: Bool = false) throws {
    let concerned = try ledger.chunks(of: selection)
    guard isNew || !concerned.hasNothingToDrop else { return }
    try write(
      [.keptChunksForgotten(concerned.kept.map(\.key))]
        + concerned.lost.map(Transition.lostOutputForgotten))
    for segment in concerned.segments.map(\.segment) {
      if scheduler.progress(of: segment.job) == nil {
        try write([.chunkDropped(segment)])
      } else {
        dispatch(.chunkForgotten(segment))
      }
    }
    try drop(concerned.held)
    counters.chunksForgotten += concerned.kept.count + concerned.segments.count
    for job in Set(concerned.segments.map(\.segment.job)) { try beginAssemblyAgain(of: job) }
    log.error(
      "forgetting untrusted chunks (\(selection)): dropped \(concerned.kept.count) kept chunks "
        + "and \(concerned.segments.count) chunks of unfinished jobs")
    for job in concerned.finished { log.error("\(job)") }
    for job in concerned.lost {
      log.error(
        "its lost file contains untrusted chunks, so restoring the file will not "
          + "complete the job", .job(job))
    }
    let dropped = Set(concerned.kept.map(\.sha256) + concerned.segments.map(\.sha256))
    chunkStore.remove(Array(dropped.subtracting(try ledger.neededChunks())))
  }

  /// Drops held chunks. If a segment has none left, its audit ends and it is rendered again.
  func drop(_ held: [ConcernedHold]) throws {
    for chunk in held {
      try write([.heldChunkDropped(chunk.segment, by: chunk.worker)])
      dispatch(.heldChunkForgotten(chunk.segment, chunk.worker))
    }
  }

  /// Restarts the assembly of a job's file with the remaining chunks, because the file may already contain a dropped
  /// one.
  private func beginAssemblyAgain(of id: JobID) throws {
    guard let news = jobs[id]?.chunks else { return }
    news.yield(.restarted)
    for (segment, sha256) in try ledger.chunks(of: id).sorted(by: { $0.key < $1.key }) {
      news.yield(.accepted(AcceptedChunk(segment: segment, sha256: sha256)))
    }
    jobs[id]?.segmentsReused = try ledger.reusedCount(of: id)
    changed(id)
  }

  /// Throws if a job's file contains a chunk that was dropped in the meantime, so that the run restarts.
  func assureTrust(in chunks: [Digest], of id: JobID) throws {
    let accepted = try ledger.chunks(of: id)
    for (segment, sha256) in chunks.enumerated() where accepted[segment] != sha256 {
      throw JobError(
        .forgottenChunk,
        "segment \(segment): its chunk was dropped while the file was being completed")
    }
  }

  /// Checks that a lease names the asset that a worker wants to read.
  func checkAsset(_ digest: Digest, isNamedBy lease: LeaseToken) throws {
    dispatch(.timePassed)
    guard let segment = scheduler.runningAttempt(under: lease)?.grant.segment else {
      throw FarmError.staleLease
    }
    guard try ledger.assets(of: segment).contains(digest) else {
      throw FarmError.notFound("asset", "\(digest)")
    }
  }
}
