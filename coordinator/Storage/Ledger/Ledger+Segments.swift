import Crypto
import FarmAPI
import Foundation
import Planning
import SQL
import Scheduling

extension Ledger {
  /// The number of a job's segments in each state, and the frames of the completed ones.
  package func progress(of job: JobID) throws -> JobProgress {
    var progress = JobProgress(segments: SegmentCounts(), framesRendered: 0)
    try database.each(
      """
      SELECT state, count(*) AS count, sum(end_frame - first_frame) AS frames
      FROM segments WHERE job = ?1 GROUP BY state
      """, job.rawValue
    ) { row in
      let count: Int = try row.get("count")
      switch try row.get("state") as SegmentState {
      case .pending: progress.segments.pending = count
      case .leased: progress.segments.leased = count
      case .failed: progress.segments.failed = count
      case .completed:
        progress.segments.completed = count
        progress.framesRendered = try row.get("frames")
      }
    }
    return progress
  }

  /// The segments of a job as the farm reports them, in order.
  ///
  /// - Parameters:
  ///   - index: return only the segments after this one.
  ///   - limit: the maximum number of segments.
  package func segments(
    of job: JobID, after index: Int?, limit: Int
  ) throws -> [SegmentStatus] {
    try database.rows(
      """
      SELECT segments.*, workers.name AS worker_name, deliverers.name AS deliverer, token_name,
        delivered_at,
        EXISTS (
          SELECT 1 FROM held_chunks
          WHERE held_chunks.job = segments.job AND segment = segments.number) AS is_under_audit
      FROM segments
      LEFT JOIN workers ON workers.id = segments.worker
      LEFT JOIN deliveries ON deliveries.id = segments.delivery
      LEFT JOIN workers AS deliverers ON deliverers.id = deliveries.worker
      WHERE segments.job = ?1 AND segments.number > ?2 ORDER BY segments.number LIMIT ?3
      """, job.rawValue, index ?? -1, limit
    ) { row in
      let state: SegmentState = try row.get("state")
      let first: Int = try row.get("first_frame")
      let end: Int = try row.get("end_frame")
      let isPlaced = state == .leased || state == .completed
      let deliverer: String? = try row.get("deliverer")
      let deliveredAt: Double? = try row.get("delivered_at")
      var delivery: SegmentDelivery?
      if let deliverer, let deliveredAt {
        delivery = SegmentDelivery(
          worker: deliverer, token: try row.get("token_name"),
          deliveredAt: Date(timeIntervalSince1970: deliveredAt))
      }
      var status = SegmentStatus(
        index: try row.get("number"), first: first, end: end, state: state,
        attempts: try row.get("attempts"), worker: isPlaced ? try row.get("worker_name") : nil,
        framesRendered: state == .completed ? end - first : 0, delivery: delivery,
        isUnderAudit: try row.get("is_under_audit") ? true : nil)
      let worker: String? = try row.get("worker")
      status.note(
        method: (try row.get("method") as String?).flatMap(SegmentMethod.init),
        memory: try row.get("peak_memory"), isReused: state == .completed && worker == nil)
      return status
    }
  }

  /// The segments of a job as the scheduler expects them.
  package func entries(of job: JobID) throws -> [SegmentEntry] {
    var holders: [Int: [SegmentEntry.Holder]] = [:]
    try database.each(
      "SELECT * FROM attempts WHERE job = ?1 AND outcome IS NULL ORDER BY number", job.rawValue
    ) { row in
      let holder = SegmentEntry.Holder(
        token: LeaseToken(rawValue: try row.get("token")),
        worker: WorkerID(rawValue: try row.get("worker")), attempt: try row.get("number"))
      holders[try row.get("segment"), default: []].append(holder)
    }
    var entries = try database.rows(
      "SELECT * FROM segments WHERE job = ?1 ORDER BY number", job.rawValue
    ) { row in
      let first: Int = try row.get("first_frame")
      let end: Int = try row.get("end_frame")
      let number: Int = try row.get("number")
      var state = SegmentEntry.State.pending
      switch try row.get("state") as SegmentState {
      case .completed:
        let worker: String? = try row.get("worker")
        state = .completed(worker.map(WorkerID.init))
      case .pending, .failed: break
      case .leased: if let found = holders[number] { state = .leased(found) }
      }
      return SegmentEntry(
        frames: first..<end, cost: try row.get("cost"),
        memory: try row.get("peak_memory"), state: state, attempts: try row.get("attempts"),
        expiries: try row.get("expiries"))
    }
    for (number, held) in try heldChunks(of: job) { entries[number].held = held }
    var room = FailureRoom()
    try database.each(
      """
      SELECT failures.*, workers.name AS worker_name FROM failures
      JOIN workers ON workers.id = failures.worker WHERE job = ?1 ORDER BY failures.id
      """, job.rawValue
    ) { row in
      let attempt = FailedAttempt(
        worker: WorkerID(rawValue: try row.get("worker")), workerName: try row.get("worker_name"),
        report: FailureReport(
          code: FailureCode(rawValue: try row.get("code")), message: try row.get("message"),
          isPermanent: try row.get("is_permanent")))
      entries[try row.get("segment")].failures.append(room.admit(attempt))
    }
    return entries
  }

  /// The accepted chunks of a job by segment.
  package func chunks(of job: JobID) throws -> [Int: Digest] {
    var chunks: [Int: Digest] = [:]
    try database.each(
      "SELECT number, chunk_sha256 FROM segments WHERE job = ?1 AND state = 'completed'",
      job.rawValue
    ) { row in
      chunks[try row.get("number")] = Digest(hex: try row.get("chunk_sha256") as String)
    }
    return chunks
  }

  /// The number of a job's segments with reused chunks, which no worker delivered for it.
  package func reusedCount(of job: JobID) throws -> Int {
    try database.first(
      """
      SELECT count(*) FROM segments WHERE job = ?1 AND state = 'completed' AND worker IS NULL
      """, job.rawValue
    ) { try $0.get(0) } ?? 0
  }

  /// The digest of the accepted chunk of a lease's segment, or of the held chunk that was delivered under the lease.
  /// The lease may have ended.
  package func acceptedChunk(of token: LeaseToken) throws -> Digest? {
    try database.first(
      """
      SELECT chunk_sha256 FROM attempts
      JOIN segments ON segments.job = attempts.job AND segments.number = attempts.segment
      WHERE attempts.token = ?1 AND segments.state = 'completed'
      UNION ALL SELECT sha256 FROM held_chunks
      JOIN deliveries ON deliveries.id = held_chunks.delivery WHERE lease = ?1
      """, token.rawValue
    ) { try $0.get(0) as String }.flatMap { Digest(hex: $0) }
  }

  /// The chunks that jobs still need, and those that are kept for a retry or a later job: the ones needed after a date,
  /// most recent first, up to a number of bytes.
  package func chunksToKeep(since date: Date, _ byteLimit: Int64) throws -> Set<Digest> {
    var kept: Set<Digest> = []
    var total: Int64 = 0
    func keep(_ digest: Digest, _ byteCount: Int64, neededAt needed: Double) {
      guard !kept.contains(digest), needed >= date.timeIntervalSince1970 else { return }
      total += byteCount
      if total <= byteLimit { kept.insert(digest) }
    }
    try database.each(
      """
      SELECT chunk_sha256, chunk_bytes, finished_at,
        jobs.state IN ('failed', 'cancelled') AS is_over
      FROM segments JOIN jobs ON jobs.id = segments.job
      WHERE chunk_sha256 IS NOT NULL AND jobs.state <> 'completed'
      ORDER BY is_over, finished_at DESC NULLS LAST, jobs.number DESC, segments.number
      """
    ) { row in
      guard let digest = Digest(hex: try row.get("chunk_sha256") as String) else { return }
      guard try row.get("is_over") as Int == 1 else {
        kept.insert(digest)
        return
      }
      let finished: Double? = try row.get("finished_at")
      keep(digest, try row.get("chunk_bytes"), neededAt: finished ?? 0)
    }
    try database.each(
      "SELECT sha256 FROM held_chunks JOIN deliveries ON deliveries.id = held_chunks.delivery"
    ) { row in
      if let digest = Digest(hex: try row.get("sha256") as String) { kept.insert(digest) }
    }
    try database.each(
      "SELECT sha256, bytes, used_at FROM kept_chunks ORDER BY used_at DESC, content_key"
    ) {
      row in
      guard let digest = Digest(hex: try row.get("sha256") as String) else { return }
      keep(digest, try row.get("bytes"), neededAt: try row.get("used_at"))
    }
    return kept
  }

  /// The chunks that jobs still need, to finish or to be retried, and those that are kept for later jobs.
  package func neededChunks() throws -> Set<Digest> {
    let digests = try database.rows(
      """
      SELECT DISTINCT chunk_sha256 FROM segments JOIN jobs ON jobs.id = segments.job
      WHERE chunk_sha256 IS NOT NULL AND jobs.state <> 'completed'
      UNION SELECT sha256 FROM kept_chunks
      UNION SELECT sha256 FROM held_chunks JOIN deliveries ON deliveries.id = held_chunks.delivery
      """
    ) { Digest(hex: try $0.get(0) as String) }
    return Set(digests.compactMap(\.self))
  }

  /// The chunks of an ended job that neither another job nor a later one may use.
  package func disposableChunks(of job: JobID) throws -> [Digest] {
    try database.rows(
      """
      SELECT chunk_sha256 FROM (
        SELECT DISTINCT chunk_sha256 FROM segments WHERE job = ?1 AND chunk_sha256 IS NOT NULL
      ) AS mine
      WHERE NOT EXISTS (SELECT 1 FROM kept_chunks WHERE sha256 = mine.chunk_sha256)
        AND NOT EXISTS (
          SELECT 1 FROM segments JOIN jobs ON jobs.id = segments.job
          WHERE segments.chunk_sha256 = mine.chunk_sha256 AND jobs.state <> 'completed')
        AND NOT EXISTS (
          SELECT 1 FROM held_chunks JOIN deliveries ON deliveries.id = held_chunks.delivery
          WHERE sha256 = mine.chunk_sha256)
      """, job.rawValue
    ) { Digest(hex: try $0.get(0) as String) }.compactMap(\.self)
  }
}
