import Crypto
import FarmAPI
import Foundation
import Planning
import Scheduling

/// Chunks of earlier jobs that a job's segments can have, all of one fingerprint.
struct ReusableChunks: Hashable, Sendable {
  let fingerprint: String
  /// The number of segments without a chunk.
  let lacking: Int
  /// Whether there are workers who could render the rest.
  let isServed: Bool
  /// By the segment's place in the plan.
  var chunks: [Int: KeptChunk]

  /// Whether a job that has so many of them can come to its end.
  func suffice(_ count: Int) -> Bool { count > 0 && (isServed || count == lacking) }
}

/// The facts needed to find reusable chunks.
struct ReuseQuestion: Sendable {
  /// The segments that have no chunk, and are with no worker.
  let segments: [Int]
  /// The number of segments without a chunk.
  let lacking: Int
  /// The fingerprints whose chunks the job may have.
  let fingerprints: [String]
  /// Those that workers have who could render the rest.
  let served: Set<String>
}

/// Every accepted chunk is kept under its content key, so that a job that was edited and submitted again is rendered
/// where it was edited.
extension Farm {
  /// The facts that decide which chunks of earlier jobs a job may reuse; `nil` if it may reuse none, or is already
  /// being rendered.
  func reuseQuestion(of id: JobID) throws -> ReuseQuestion? {
    try Task.checkCancellation()
    guard keepsChunks, scheduler.progress(of: id) == nil,
      try ledger.rerenders(id) == false
    else { return nil }
    let entries = try ledger.entries(of: id)
    let segments = entries.indices.filter {
      entries[$0].state == .pending && entries[$0].held.isEmpty
    }
    let lacking = entries.count { entry in
      if case .completed = entry.state { false } else { true }
    }
    let served = Set(scheduler.fingerprints)
    var fingerprints = Array(served.union(try ledger.keptFingerprints())).sorted()
    // Chunks, and leases from before a restart, bind a job.
    if segments.count < entries.count, let bound = try ledger.job(id)?.fingerprint {
      fingerprints = [bound]
    }
    return ReuseQuestion(
      segments: segments, lacking: lacking, fingerprints: fingerprints, served: served)
  }

  /// The kept chunks with the given content keys that a job may reuse.
  func keptChunks(under keys: [Digest], for id: JobID) throws -> [Digest: KeptChunk] {
    try Task.checkCancellation()
    return try ledger.keptChunks(under: keys, for: audience(of: id))
  }

  /// The submitters whose jobs may share chunks with a job.
  func audience(of id: JobID) throws -> ReuseAudience {
    switch reuse {
    case .all: .anyone
    case .submitter: .submitter(try ledger.job(id)?.status.submitter)
    }
  }

  /// The transitions by which a job has those chunks, so far as they are still there.
  func reusing(_ reusable: ReusableChunks, for id: JobID) throws -> [Transition] {
    // Some may have been removed or forgotten since they were found.
    let kept = try ledger.keptChunks(under: reusable.chunks.values.map(\.key))
    let found = reusable.chunks.sorted { $0.key < $1.key }.filter {
      kept[$0.value.key]?.sha256 == $0.value.sha256 && chunkStore.contains($0.value.sha256)
    }
    guard reusable.suffice(found.count) else { return [] }
    counters.chunksReused += found.count
    log.info("job \(id): \(found.count) chunks of earlier jobs are used again")
    return [.fingerprintFixed(id, reusable.fingerprint)]
      + found.map { index, chunk in
        .chunkReused(SegmentID(job: id, index: index), chunk, at: clock.date())
      }
  }

  /// The transition by which an accepted chunk is kept for later jobs, where it can be.
  func keeping(_ sha256: Digest, _ byteCount: Int64, of segment: SegmentID) -> Transition? {
    guard keepsChunks, let fingerprint = scheduler.fingerprint(of: segment.job),
      let key = try? ledger.content(of: segment)?.key(fingerprint: fingerprint)
    else { return nil }
    let chunk = KeptChunk(
      key: key, fingerprint: fingerprint, sha256: sha256, byteCount: byteCount)
    if let kept = try? ledger.keptChunks(under: [key])[key], kept.sha256 != chunk.sha256 {
      counters.chunksDiffering += 1
      log.error(
        "job \(segment.job): segment \(segment.index): the chunk \(chunk.sha256) is not the one "
          + "that an earlier job got for the same content, \(kept.sha256)")
    }
    return .chunkKept(segment, chunk, at: clock.date())
  }

  /// The chunk that a segment shares with an identical one, or `nil` if it is not kept.
  func sharedChunk(of segment: SegmentID) -> KeptChunk? {
    guard let fingerprint = scheduler.fingerprint(of: segment.job),
      let key = try? ledger.content(of: segment)?.key(fingerprint: fingerprint),
      let chunk = try? keptChunks(under: [key], for: segment.job)[key],
      chunkStore.contains(chunk.sha256)
    else { return nil }
    return chunk
  }

  /// Gives a segment the chunk that it shares with an identical one.
  func tellShared(_ segment: SegmentID) {
    guard let chunk = sharedChunk(of: segment) else {
      // The chunk is missing or was not kept, so the segment is rendered.
      let report = FailureReport(
        code: "shared-chunk", message: "the chunk to share is not there", isPermanent: false)
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

  /// The contents that decide the chunks of a job's segments, with their frame counts.
  func contents(of id: JobID) throws -> [(content: SegmentContent, frames: Int)] {
    try Task.checkCancellation()
    return try ledger.contents(of: id)
  }

  /// Removes chunks that are kept for later jobs alone until there is room for `needed` bytes and the reserve. None goes
  /// where all of them would not make it.
  func makeRoom(for needed: Int64 = 0) {
    let missing = space.missing(for: needed)
    guard missing > 0, let spare = try? ledger.spareChunks() else { return }
    var (going, freed): ([Digest], Int64) = ([], 0)
    for sha256 in spare where freed < missing {
      freed += AssetStore.size(chunkStore.path(of: sha256)) ?? 0
      going.append(sha256)
    }
    if freed >= missing { remove(going) }
  }

  /// Removes every chunk that is kept for later jobs alone: a job that lacks room is worth more.
  func dropSpareChunks() { remove((try? ledger.spareChunks()) ?? []) }

  private func remove(_ spare: [Digest]) {
    guard !spare.isEmpty else { return }
    chunkStore.remove(spare)
    log.info("\(spare.count) chunks that were kept for later jobs make room")
    do { try ledger.forget(spare) } catch {
      // Chunks that are not there are of no use to a job, and it sees that.
      log.error("the ledger still has the chunks that made room: \(error)")
    }
  }
}
