import Crypto
import FarmAPI
import HTTP
import Planning
import Scheduling

extension Farm {
  /// Makes chunks unusable: those kept for later jobs are dropped, and segments of jobs without a file that have one are
  /// rendered again. Files that are finished stay; the log names them.
  ///
  /// - Parameter isNew: whether nobody was told of these chunks before, so that the log names them even if none is left to
  ///   drop.
  /// - Throws: an error of the ledger; what was dropped by then stays dropped.
  func forget(_ selection: ChunkSelection, isNew: Bool = false) throws {
    let concerned = try ledger.chunks(of: selection)
    guard isNew || !concerned.hasNothingToDrop else { return }
    try write([.keptChunksForgotten(concerned.kept.map(\.key))])
    for segment in concerned.segments.map(\.segment) {
      if scheduler.progress(of: segment.job) == nil {
        try write([.chunkDropped(segment)])
      } else {
        dispatch(.chunkForgotten(segment))
      }
    }
    for chunk in concerned.held {
      try write([.heldChunkDropped(chunk.segment, by: chunk.worker)])
      dispatch(.heldChunkForgotten(chunk.segment, chunk.worker))
    }
    counters.chunksForgotten += concerned.kept.count + concerned.segments.count
    for job in Set(concerned.segments.map(\.segment.job)) { try beginAssemblyAgain(of: job) }
    log.error(
      "chunks are not trusted any more (\(selection)): \(concerned.kept.count) that were kept and "
        + "\(concerned.segments.count) of unfinished jobs are dropped")
    for job in concerned.finished { log.error("\(job)") }
    let dropped = Set(concerned.kept.map(\.sha256) + concerned.segments.map(\.sha256))
    chunkStore.remove(Array(dropped.subtracting(try ledger.neededChunks())))
  }

  /// Has a job's file begun again with the chunks that it still has: what was dropped may be in it already.
  private func beginAssemblyAgain(of id: JobID) throws {
    guard let news = jobs[id]?.chunks else { return }
    news.yield(.restarted)
    for (segment, sha256) in try ledger.chunks(of: id).sorted(by: { $0.key < $1.key }) {
      news.yield(.accepted(AcceptedChunk(segment: segment, sha256: sha256)))
    }
    jobs[id]?.segmentsReused = try ledger.reusedCount(of: id)
    changed(id)
  }

  /// Refuses to complete a job whose file contains a chunk that was dropped in the meantime: its run begins again.
  func assureTrust(in chunks: [Digest], of id: JobID) throws {
    let accepted = try ledger.chunks(of: id)
    for (segment, sha256) in chunks.enumerated() where accepted[segment] != sha256 {
      throw JobError(
        JobError.forgottenChunkCode,
        "segment \(segment): its chunk was dropped while the file was being completed")
    }
  }

  /// Whether a worker may read an asset: one that a lease of its own names.
  func checkAsset(_ digest: Digest, isNamedBy lease: LeaseToken) throws {
    dispatch(.timePassed)
    guard let segment = scheduler.runningAttempt(under: lease)?.grant.segment else {
      throw HTTPError.staleLease
    }
    guard try ledger.assets(of: segment).contains(digest) else {
      throw HTTPError.notFound("asset", "\(digest)")
    }
  }
}
