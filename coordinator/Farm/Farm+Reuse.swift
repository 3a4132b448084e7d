import Crypto
import FarmAPI
import Planning
import Scheduling

/// The chunks and mixes of earlier jobs, and the chunks that identical segments share.
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

  /// Gives a job that is not scheduled yet the reusable chunks that still exist. They are recorded in batches, and other
  /// calls are answered in between.
  func assign(_ reusable: ReusableChunks, to id: JobID) async throws {
    var found: [(segment: Int, chunk: KeptChunk)] = []
    let candidates = reusable.chunks.sorted { $0.key < $1.key }.map {
      (segment: $0.key, chunk: $0.value)
    }
    for first in stride(from: 0, to: candidates.count, by: Self.reuseBatch) {
      found += try reuse.remaining(
        candidates[first..<min(first + Self.reuseBatch, candidates.count)])
      try await letOthersIn()
      try Task.checkCancellation()
    }
    guard reusable.suffice(found.count) else { return }
    let isUnbound = try ledger.chunks(of: id).isEmpty
    try write([.fingerprintFixed(id, reusable.fingerprint)])
    var count = 0
    defer { counters.chunksReused += count }
    do {
      for first in stride(from: 0, to: found.count, by: Self.reuseBatch) {
        count += try record(found[first..<min(first + Self.reuseBatch, found.count)], for: id)
        try await letOthersIn()
        try Task.checkCancellation()
      }
    } catch let error where isUnbound && !(error is CancellationError) {
      writeLater(.jobRestarted(id))
      throw error
    }
    guard reusable.suffice(count) || !isUnbound else {
      // Some were removed in the meantime, and no worker could render what they leave.
      log.info("chunks of earlier jobs are missing, so all segments are rendered", .job(id))
      count = 0
      return try write([.jobRestarted(id)])
    }
    log.info("reuses \(count) chunks of earlier jobs", .job(id))
  }

  /// Records the chunks among these that have not been removed or forgotten in the meantime.
  ///
  /// - Returns: their number.
  private func record(
    _ found: ArraySlice<(segment: Int, chunk: KeptChunk)>, for id: JobID
  ) throws -> Int {
    let remaining = try reuse.remaining(found)
    let date = clock.date()
    try write(
      remaining.map { .chunkReused(SegmentID(job: id, index: $0.segment), $0.chunk, at: date) })
    forgetDrawing(of: id)
    return remaining.count
  }

  /// The number of reused chunks that are recorded in one call.
  private static let reuseBatch = 500

  /// The transition that keeps an accepted chunk for later jobs; `nil` if it cannot be kept.
  ///
  /// - Parameter fingerprint: that of the worker that rendered it.
  func keeping(
    _ sha256: Digest, _ byteCount: Int64, of segment: SegmentID, fingerprint: String?
  ) -> Transition? {
    guard let keeping = reuse.keeping(sha256, byteCount, of: segment, fingerprint: fingerprint)
    else { return nil }
    if let differing = keeping.differing {
      counters.chunksDiffering += 1
      log.error(
        "the chunk \(sha256) differs from "
          + "\(differing), which an earlier job got for the same content", .segment(segment))
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

  /// How a job shares finished mixes; `nil` if they are not kept.
  func mixSharing(of id: JobID) throws -> MixSharing? {
    try Task.checkCancellation()
    return try reuse.mixSharing(of: id)
  }

  /// Counts a job that used the mix of an earlier one.
  func noteReusedMix() { counters.mixesReused += 1 }

  /// Removes what is kept only for later jobs, until there is room for `needed` bytes and the reserve: chunks, and all
  /// mixes if the chunks are not enough. Removes nothing if removing everything would not make enough room.
  func makeRoom(for needed: Int64 = 0) {
    let missing = space.missing(for: needed)
    guard missing > 0 else { return }
    guard chunkStore.isOnDisk else { return chunkStore.removeLocalCopies(freeing: missing) }
    let chunks = reuse.spare(freeing: missing)
    guard chunks.isEmpty else { return remove(chunks) }
    let mixed = mixStore.byteCount
    guard mixed > 0 else { return }
    let rest = reuse.spare(freeing: missing - mixed)
    guard !rest.isEmpty || mixed >= missing else { return }
    dropMixes()
    remove(rest)
  }

  /// Removes everything that is kept only for later jobs: a job that lacks room matters more.
  func dropSpares() {
    // Elsewhere, removing them makes no room.
    guard chunkStore.isOnDisk else { return }
    remove(reuse.spare())
    dropMixes()
  }

  private func dropMixes() {
    let count = mixStore.removeAll()
    if count > 0 { log.info("removed \(count) mixes kept for later jobs to make room") }
  }

  private func remove(_ spare: [Digest]) {
    guard !spare.isEmpty else { return }
    log.info("removed \(spare.count) chunks kept for later jobs to make room")
    do { try reuse.remove(spare) } catch {
      log.error("cannot remove chunks from the ledger whose files made room: \(error)")
    }
  }
}
