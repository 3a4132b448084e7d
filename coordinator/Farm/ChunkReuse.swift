import Crypto
import FarmAPI
import Planning
import Scheduling

/// Decides which chunks are kept under their content keys, and which chunks and mixes a job may use. If a job is edited
/// and submitted again, only the edited parts are rendered.
struct ChunkReuse {
  let ledger: any FarmLedger
  let store: ChunkStore
  /// Whether accepted chunks are kept for later jobs.
  let keepsChunks: Bool
  /// Which submitters' chunks a job may reuse.
  let audience: StorageSettings.Reuse

  /// Whether a job may use what earlier jobs made.
  func mayReuse(_ id: JobID) throws -> Bool { try keepsChunks && ledger.rerenders(id) == false }

  /// How a job shares finished mixes; `nil` if they are not kept.
  func mixSharing(of id: JobID) throws -> MixSharing? {
    guard keepsChunks else { return nil }
    return MixSharing(audience: try audience(of: id), mayReuse: try mayReuse(id))
  }

  /// The facts that decide which chunks of earlier jobs a job may reuse; `nil` if it may reuse none.
  ///
  /// - Parameter served: the fingerprints of the farm's workers.
  func question(of id: JobID, served: Set<String>) throws -> ReuseQuestion? {
    guard try mayReuse(id) else { return nil }
    let entries = try ledger.entries(of: id)
    let segments = entries.indices.filter {
      entries[$0].state == .pending && entries[$0].held.isEmpty
    }
    let lacking = entries.count { entry in
      if case .completed = entry.state { false } else { true }
    }
    var fingerprints = Array(served.union(try ledger.keptFingerprints())).sorted()
    // A job with chunks, or with leases from before a restart, is bound to their fingerprint.
    if segments.count < entries.count, let bound = try ledger.job(id)?.fingerprint {
      fingerprints = [bound]
    }
    return ReuseQuestion(
      segments: segments, lacking: lacking, fingerprints: fingerprints, served: served)
  }

  /// The contents of a job's segments if identical segments may share a chunk; `nil` if each is rendered.
  func sharedContents(of id: JobID) throws -> [SegmentContent]? {
    guard try mayReuse(id) else { return nil }
    return try ledger.contents(of: id).map(\.content)
  }

  /// The submitters whose jobs may share chunks with a job.
  func audience(of id: JobID) throws -> ReuseAudience {
    switch audience {
    case .all: .anyone
    case .submitter: .submitter(try ledger.job(id)?.status.submitter)
    }
  }

  /// The kept chunks with the given content keys that a job may reuse.
  func chunks(under keys: [Digest], for id: JobID) throws -> [Digest: KeptChunk] {
    try ledger.keptChunks(under: keys, for: audience(of: id))
  }

  /// The chunks among these that have not been removed or forgotten since they were found, each with the segment's place
  /// in the plan.
  func remaining(
    _ chunks: ArraySlice<(segment: Int, chunk: KeptChunk)>
  ) throws -> [(segment: Int, chunk: KeptChunk)] {
    let kept = try ledger.keptChunks(under: chunks.map(\.chunk.key))
    return chunks.filter {
      kept[$0.chunk.key]?.sha256 == $0.chunk.sha256 && store.contains($0.chunk.sha256)
    }
  }

  /// An accepted chunk to keep for later jobs.
  struct Keeping {
    let chunk: KeptChunk
    /// The different chunk that an earlier job got for the same content, if any.
    let differing: Digest?
  }

  /// The form in which an accepted chunk is kept for later jobs; `nil` if it cannot be kept.
  func keeping(
    _ sha256: Digest, _ byteCount: Int64, of segment: SegmentID, fingerprint: String?
  ) -> Keeping? {
    guard keepsChunks, let fingerprint,
      let key = try? ledger.content(of: segment)?.key(fingerprint: fingerprint)
    else { return nil }
    let chunk = KeptChunk(key: key, fingerprint: fingerprint, sha256: sha256, byteCount: byteCount)
    let kept = try? ledger.keptChunks(under: [key])[key]?.sha256
    return Keeping(chunk: chunk, differing: kept == sha256 ? nil : kept)
  }

  /// The chunk that a segment shares with an identical one, or `nil` if it is not kept.
  func shared(by segment: SegmentID, fingerprint: String?) -> KeptChunk? {
    guard let fingerprint,
      let key = try? ledger.content(of: segment)?.key(fingerprint: fingerprint),
      let chunk = try? chunks(under: [key], for: segment.job)[key],
      store.contains(chunk.sha256)
    else { return nil }
    return chunk
  }

  /// The chunks that are kept only for later jobs.
  func spare() -> [Digest] { (try? ledger.spareChunks()) ?? [] }

  /// The chunks kept only for later jobs whose removal frees a number of bytes. Empty if removing all of them would not
  /// free enough.
  func spare(freeing missing: Int64) -> [Digest] {
    var (going, freed): ([Digest], Int64) = ([], 0)
    for sha256 in spare() where freed < missing {
      freed += store.byteCount(of: sha256) ?? 0
      going.append(sha256)
    }
    return freed >= missing ? going : []
  }

  /// Removes chunks that are kept only for later jobs.
  ///
  /// - Throws: an error of the ledger. The files are removed nevertheless: a job never uses a chunk whose file is
  ///   missing.
  func remove(_ spare: [Digest]) throws {
    store.remove(spare)
    try ledger.forget(spare)
  }
}
