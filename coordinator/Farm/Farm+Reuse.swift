import Crypto
import FarmAPI
import Planning
import Scheduling

/// The chunks of earlier jobs, and those that identical segments share.
extension Farm {
  /// The facts that decide which chunks of earlier jobs a job may reuse; `nil` if it may reuse none, or is already
  /// being rendered.
  func reuseQuestion(of id: JobID) throws -> ReuseQuestion? {
    try Task.checkCancellation()
    guard scheduler.progress(of: id) == nil else { return nil }
    return try reuse.question(of: id, served: Set(scheduler.fingerprints))
  }

  /// The kept chunks with the given content keys that a job may reuse.
  func keptChunks(under keys: [Digest], for id: JobID) throws -> [Digest: KeptChunk] {
    try Task.checkCancellation()
    return try reuse.chunks(under: keys, for: id)
  }

  /// The contents that decide the chunks of a job's segments, with their frame counts.
  func contents(of id: JobID) throws -> [(content: SegmentContent, frames: Int)] {
    try Task.checkCancellation()
    return try ledger.contents(of: id)
  }

  /// The transitions that give a job the reusable chunks that still exist.
  func reusing(_ reusable: ReusableChunks, for id: JobID) throws -> [Transition] {
    let found = try reuse.remaining(reusable)
    guard !found.isEmpty else { return [] }
    counters.chunksReused += found.count
    log.info("job \(id): reuses \(found.count) chunks of earlier jobs")
    return [.fingerprintFixed(id, reusable.fingerprint)]
      + found.map { index, chunk in
        .chunkReused(SegmentID(job: id, index: index), chunk, at: clock.date())
      }
  }

  /// The transition that keeps an accepted chunk for later jobs; `nil` if it cannot be kept.
  func keeping(_ sha256: Digest, _ byteCount: Int64, of segment: SegmentID) -> Transition? {
    let fingerprint = scheduler.fingerprint(of: segment.job)
    guard let keeping = reuse.keeping(sha256, byteCount, of: segment, fingerprint: fingerprint)
    else { return nil }
    if let differing = keeping.differing {
      counters.chunksDiffering += 1
      log.error(
        "job \(segment.job): segment \(segment.index): the chunk \(sha256) differs from "
          + "\(differing), which an earlier job got for the same content")
    }
    return .chunkKept(segment, keeping.chunk, at: clock.date())
  }

  /// The chunk that a segment shares with an identical one, or `nil` if it is not kept.
  func sharedChunk(of segment: SegmentID) -> KeptChunk? {
    reuse.shared(by: segment, fingerprint: scheduler.fingerprint(of: segment.job))
  }

  /// Gives a segment the chunk that it shares with an identical one.
  func tellShared(_ segment: SegmentID) {
    guard let chunk = sharedChunk(of: segment) else {
      // The chunk is missing or was not kept, so the segment is rendered.
      let report = FailureReport(
        code: .sharedChunk, message: "the shared chunk is missing", isPermanent: false)
      Task { dispatch(.chunkRefused(segment, report)) }
      return
    }
    counters.chunksReused += 1
    jobs[segment.job]?.segmentsReused += 1
    jobs[segment.job]?.chunks?.yield(
      .accepted(AcceptedChunk(segment: segment.index, sha256: chunk.sha256)))
    noteProgress(segment.job)
    changed(segment.job)
  }

  /// Removes chunks that are kept only for later jobs, until there is room for `needed` bytes and the reserve. Removes
  /// none if removing all of them would not make enough room.
  func makeRoom(for needed: Int64 = 0) {
    let missing = space.missing(for: needed)
    guard missing > 0 else { return }
    remove(reuse.spare(freeing: missing))
  }

  /// Removes every chunk that is kept only for later jobs: a job that lacks room matters more.
  func dropSpareChunks() { remove(reuse.spare()) }

  private func remove(_ spare: [Digest]) {
    guard !spare.isEmpty else { return }
    log.info("removed \(spare.count) chunks kept for later jobs to make room")
    do { try reuse.remove(spare) } catch {
      log.error("cannot remove chunks from the ledger whose files made room: \(error)")
    }
  }
}
