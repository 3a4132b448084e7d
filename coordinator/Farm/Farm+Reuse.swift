import Crypto
import FarmAPI
import Foundation
import Planning
import Scheduling

/// Chunks of earlier jobs that a job's segments can use, all of one fingerprint.
struct ReusableChunks: Hashable, Sendable {
  let fingerprint: String
  /// The number of segments without a chunk.
  let lacking: Int
  /// Whether there are workers that could render the rest.
  let isServed: Bool
  /// The chunks by the segment's place in the plan.
  var chunks: [Int: KeptChunk]

  /// Whether a job that reuses this many of them can finish.
  func suffice(_ count: Int) -> Bool { count > 0 && (isServed || count == lacking) }
}

/// The facts needed to find reusable chunks.
struct ReuseQuestion: Sendable {
  /// The segments that have no chunk and are not leased.
  let segments: [Int]
  /// The number of segments without a chunk.
  let lacking: Int
  /// The fingerprints whose chunks the job may use.
  let fingerprints: [String]
  /// The fingerprints of the workers that could render the rest.
  let served: Set<String>
}

/// Every accepted chunk is kept under its content key. If a job is edited and submitted again, only the edited parts
/// are rendered.
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
    // A job with chunks, or with leases from before a restart, is bound to their fingerprint.
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

  /// Gives a job that is not scheduled yet the reusable chunks that still exist. They are recorded in batches, and other
  /// calls are answered in between.
  func reuse(_ reusable: ReusableChunks, for id: JobID) async throws {
    var found: [(segment: Int, chunk: KeptChunk)] = []
    let candidates = reusable.chunks.sorted { $0.key < $1.key }.map {
      (segment: $0.key, chunk: $0.value)
    }
    for first in stride(from: 0, to: candidates.count, by: Self.reuseBatch) {
      found += try stillKept(candidates[first..<min(first + Self.reuseBatch, candidates.count)])
      await Task.yield()
      try Task.checkCancellation()
    }
    guard reusable.suffice(found.count) else { return }
    try write([.fingerprintFixed(id, reusable.fingerprint)])
    var count = 0
    for first in stride(from: 0, to: found.count, by: Self.reuseBatch) {
      // Some may have been removed or forgotten in the meantime.
      let batch = try stillKept(found[first..<min(first + Self.reuseBatch, found.count)])
      let date = clock.date()
      try write(
        batch.map { .chunkReused(SegmentID(job: id, index: $0.segment), $0.chunk, at: date) })
      count += batch.count
      await Task.yield()
      try Task.checkCancellation()
    }
    counters.chunksReused += count
    log.info("job \(id): reuses \(count) chunks of earlier jobs")
  }

  /// The number of reused chunks that are recorded in one call.
  private static let reuseBatch = 500

  /// The chunks among these that can still be used.
  private func stillKept(
    _ chunks: ArraySlice<(segment: Int, chunk: KeptChunk)>
  ) throws -> [(segment: Int, chunk: KeptChunk)] {
    let kept = try ledger.keptChunks(under: chunks.map(\.chunk.key))
    return chunks.filter {
      kept[$0.chunk.key]?.sha256 == $0.chunk.sha256 && chunkStore.contains($0.chunk.sha256)
    }
  }

  /// The transition that keeps an accepted chunk for later jobs; `nil` if it cannot be kept.
  func keeping(_ sha256: Digest, _ byteCount: Int64, of segment: SegmentID) -> Transition? {
    guard keepsChunks, let fingerprint = scheduler.fingerprint(of: segment.job),
      let key = try? ledger.content(of: segment)?.key(fingerprint: fingerprint)
    else { return nil }
    let chunk = KeptChunk(
      key: key, fingerprint: fingerprint, sha256: sha256, byteCount: byteCount)
    if let kept = try? ledger.keptChunks(under: [key])[key], kept.sha256 != chunk.sha256 {
      counters.chunksDiffering += 1
      log.error(
        "job \(segment.job): segment \(segment.index): the chunk \(chunk.sha256) differs from "
          + "\(kept.sha256), which an earlier job got for the same content")
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

  /// The contents that decide the chunks of a job's segments, with their frame counts.
  func contents(of id: JobID) throws -> [(content: SegmentContent, frames: Int)] {
    try Task.checkCancellation()
    return try ledger.contents(of: id)
  }

  /// Removes chunks that are kept only for later jobs, until there is room for `needed` bytes and the reserve. Removes
  /// none if removing all of them would not make enough room.
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

  /// Removes every chunk that is kept only for later jobs: a job that lacks room matters more.
  func dropSpareChunks() { remove((try? ledger.spareChunks()) ?? []) }

  private func remove(_ spare: [Digest]) {
    guard !spare.isEmpty else { return }
    chunkStore.remove(spare)
    log.info("removed \(spare.count) chunks kept for later jobs to make room")
    do { try ledger.forget(spare) } catch {
      // A job never uses a chunk whose file is missing.
      log.error("cannot remove chunks from the ledger whose files made room: \(error)")
    }
  }
}
