import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import SQL
import Scheduling
import Timeline

/// Plans: planning attempts, segments, and the files of projects and plans.
extension Ledger {
  /// Counts another planning attempt of a job, and returns the count.
  package func countPlanning(of id: JobID) throws -> Int {
    try database.run(
      "UPDATE jobs SET planning_tries = planning_tries + 1 WHERE id = ?1", id.rawValue)
    return try database.first("SELECT planning_tries FROM jobs WHERE id = ?1", id.rawValue) {
      try $0.get("planning_tries")
    } ?? 0
  }

  /// Removes a planning attempt from the count, because the job did not cause its end.
  package func uncountPlanning(of id: JobID) throws {
    try database.run(
      "UPDATE jobs SET planning_tries = planning_tries - 1 WHERE id = ?1 AND planning_tries > 0",
      id.rawValue)
  }

  /// Stores a batch of a plan's segments, numbered from `first` on. Existing segments keep their state.
  package func keep(_ records: [PlannedSegment], from first: Int, of id: JobID) throws {
    try database.transaction {
      for (number, record) in zip(first..., records) { try insert(record, number, of: id) }
    }
  }

  /// Stores a segment. An existing one keeps its state.
  private func insert(_ record: PlannedSegment, _ number: Int, of id: JobID) throws {
    try database.run(
      """
      INSERT INTO segments (job, number, first_frame, end_frame, state, cost, content,
        plan_offset, plan_length, plan_digest, assets, peak_memory, method)
      VALUES (?1, ?2, ?3, ?4, 'pending', ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
      ON CONFLICT (job, number) DO UPDATE SET first_frame = ?3, end_frame = ?4, cost = ?5,
        content = ?6, plan_offset = ?7, plan_length = ?8, plan_digest = ?9, assets = ?10,
        peak_memory = ?11, method = ?12
      """, id.rawValue, number, record.frames.lowerBound, record.frames.upperBound,
      record.cost, record.content.description, record.part.offset, record.part.length,
      record.part.digest.description, Data(record.assets.flatMap(\.bytes)),
      record.peakMemory, record.method?.rawValue)
  }

  /// Replaces a job's plan by one whose first segments are usually the same. In one step, segments with the same number
  /// and content keep their state, and all others begin anew.
  package func replacePlan(
    by plan: PlanFacts, _ records: [PlannedSegment], of id: JobID
  ) throws {
    let contents = try contents(of: id).map(\.content.digest)
    let earlier = try self.plan(of: id)?.hash
    try database.transaction {
      for (number, content) in contents.enumerated()
      where !records.indices.contains(number) || records[number].content != content {
        try database.run(
          "DELETE FROM segments WHERE job = ?1 AND number = ?2", id.rawValue, number)
      }
      for (number, record) in records.enumerated() { try insert(record, number, of: id) }
      try freeze(plan, of: id)
      if let earlier { try dropPlan(earlier) }
    }
  }

  /// Removes a plan that no job has.
  private func dropPlan(_ hash: Digest) throws {
    try database.run(
      """
      DELETE FROM plans WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM jobs WHERE plan = ?1)
        AND NOT EXISTS (SELECT 1 FROM lost_outputs WHERE plan = ?1)
      """, hash.description)
  }

  /// The `TableDigest` of a job's stored segments; `nil` if a row is not valid.
  package func tableDigest(of id: JobID) throws -> Digest? {
    var table: TableDigest? = TableDigest()
    try database.each(
      """
      SELECT number, first_frame, end_frame, cost, content, plan_offset, plan_length, plan_digest,
        assets, peak_memory, method FROM segments WHERE job = ?1 ORDER BY number
      """, id.rawValue
    ) { row in
      let (first, end): (Int, Int) = (try row.get("first_frame"), try row.get("end_frame"))
      let (content, part): (String?, String?) = (
        try row.get("content"), try row.get("plan_digest")
      )
      let (offset, length): (Int64?, Int?) = (
        try row.get("plan_offset"), try row.get("plan_length")
      )
      let assets: Data? = try row.get("assets")
      guard first <= end, let offset, let length, let assets,
        let content = content.flatMap(Digest.init(hex:)), let part = part.flatMap(Digest.init(hex:))
      else {
        table = nil
        return
      }
      table?.add(
        PlannedSegment(
          frames: first..<end, cost: try row.get("cost"),
          peakMemory: try row.get("peak_memory"),
          part: PlanPart(offset: offset, length: length, digest: part), content: content,
          assets: Self.digests(assets),
          method: (try row.get("method") as String?).flatMap(SegmentMethod.init)))
    }
    return table?.digest
  }

  /// Drops a job's plan with its segments and their attempts, so that the job is planned again.
  package func dropPlan(of id: JobID) throws {
    try database.transaction {
      try database.run("DELETE FROM segments WHERE job = ?1", id.rawValue)
      try database.run(
        """
        UPDATE jobs SET plan = NULL, frame_count = NULL, frame_duration = NULL, fingerprint = NULL,
          plan_file = NULL,
          state = CASE WHEN state IN ('completed', 'failed', 'cancelled') THEN state ELSE 'queued' END
        WHERE id = ?1
        """, id.rawValue)
      try keep(nil as Data?, as: JobBlob.planFacts, of: id)
      try keep(nil as Data?, as: JobBlob.timeline, of: id)
    }
  }

  /// Freezes a job's plan, whose segments are already stored.
  package func keep(_ plan: PlanFacts, of id: JobID) throws {
    try database.transaction { try freeze(plan, of: id) }
  }

  private func freeze(_ plan: PlanFacts, of id: JobID) throws {
    let hash = plan.hash.description
    try database.run(
      "DELETE FROM segments WHERE job = ?1 AND number >= ?2", id.rawValue, plan.segmentCount)
    try database.run(
      "INSERT INTO plans (hash, body) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING", hash, Data())
    try database.run(
      """
      UPDATE jobs SET plan = ?2, frame_count = ?3, frame_duration = ?4, plan_file = ?5,
        planning_tries = 0, frame_rate = ?6 WHERE id = ?1
      """, id.rawValue, hash, plan.frameCount, plan.frameDuration.seconds,
      plan.file.description, try plan.frameRate.map(FarmCoding.encode))
    try keep(FarmCoding.encode(plan), as: .planFacts, of: id)
    let digests = try blob(.assetDigests, of: id) ?? Data()
    // The job may have been planned before.
    let known = Set(Self.digests(digests))
    let added = plan.pictures.map(\.digest).filter { !known.contains($0) }
    try keep(digests + Data(added.flatMap(\.bytes)), as: .assetDigests, of: id)
  }

  /// A job's plan, once frozen.
  package func plan(of id: JobID) throws -> PlanFacts? {
    try blob(.planFacts, of: id).map { try FarmCoding.decode(PlanFacts.self, from: $0) }
  }

  /// The number of stored segments of a job.
  package func segmentCount(of id: JobID) throws -> Int {
    try database.first("SELECT count(*) FROM segments WHERE job = ?1", id.rawValue) {
      try $0.get(0)
    } ?? 0
  }

  /// The part of the plan's file that describes a segment.
  package func planPart(of segment: SegmentID) throws -> PlanPart? {
    try database.first(
      """
      SELECT plan_offset, plan_length, plan_digest FROM segments
      WHERE job = ?1 AND number = ?2 AND plan_digest IS NOT NULL
      """, segment.job.rawValue, segment.index
    ) { row -> PlanPart? in
      guard let digest = Digest(hex: try row.get("plan_digest") as String) else { return nil }
      return PlanPart(
        offset: try row.get("plan_offset"), length: try row.get("plan_length"), digest: digest)
    } ?? nil
  }

  /// The assets that a worker reads for a segment.
  package func assets(of segment: SegmentID) throws -> [Digest] {
    try database.first(
      "SELECT assets FROM segments WHERE job = ?1 AND number = ?2 AND assets IS NOT NULL",
      segment.job.rawValue, segment.index
    ) { Self.digests(try $0.get("assets")) } ?? []
  }

  /// The content that decides the chunk of a segment.
  package func content(of segment: SegmentID) throws -> SegmentContent? {
    try database.first(
      "SELECT content FROM segments WHERE job = ?1 AND number = ?2 AND content IS NOT NULL",
      segment.job.rawValue, segment.index
    ) { Digest(hex: try $0.get("content") as String).map(SegmentContent.init(digest:)) } ?? nil
  }

  /// The contents that decide the chunks of a job's segments, with their frame counts, in the order of the segments.
  ///
  /// - Throws: `JobError` if one is not valid, because later contents would then be assigned to the wrong segments.
  package func contents(of id: JobID) throws -> [(content: SegmentContent, frames: Int)] {
    try database.rows(
      """
      SELECT content, end_frame - first_frame AS frames FROM segments
      WHERE job = ?1 AND content IS NOT NULL ORDER BY number
      """, id.rawValue
    ) { row in
      guard let digest = Digest(hex: try row.get("content") as String) else {
        throw JobError.changedTable
      }
      return (SegmentContent(digest: digest), try row.get("frames"))
    }
  }

  /// The frame counts of a job's segments, in order.
  package func frameCounts(of id: JobID) throws -> [Int32] {
    try database.rows(
      "SELECT end_frame - first_frame AS frames FROM segments WHERE job = ?1 ORDER BY number",
      id.rawValue
    ) { Int32(clamping: try $0.get("frames") as Int) }
  }

  /// The files of projects and plans of all jobs, including completed ones, which may be retried if their file is
  /// damaged.
  package func documents() throws -> (projects: Set<Digest>, plans: Set<Digest>) {
    var (projects, plans): (Set<Digest>, Set<Digest>) = ([], [])
    try database.each(
      "SELECT project, plan_file FROM jobs UNION ALL SELECT NULL, plan_file FROM lost_outputs"
    ) { row in
      if let hex: String = try row.get("project"), let digest = Digest(hex: hex) {
        projects.insert(digest)
      }
      if let hex: String = try row.get("plan_file"), let digest = Digest(hex: hex) {
        plans.insert(digest)
      }
    }
    return (projects, plans)
  }
}
