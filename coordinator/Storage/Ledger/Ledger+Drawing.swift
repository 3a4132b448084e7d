import FarmAPI
import Planning
import SQL
import Scheduling

/// How the segments of jobs are drawn.
extension Ledger {
  /// A drawing of a job's segments; `nil` if it has none. Leased segments of a job that has ended count as pending.
  package func drawing(of job: JobID) throws -> SegmentDrawing? {
    let parts = try database.rows(
      """
      SELECT end_frame - first_frame AS frames, segments.state AS state, method,
        segments.worker IS NULL AS is_orphan,
        jobs.state IN ('completed', 'failed', 'cancelled') AS is_over
      FROM segments JOIN jobs ON jobs.id = segments.job WHERE job = ?1 ORDER BY segments.number
      """, job.rawValue
    ) { row in
      let state: SegmentState = try row.get("state")
      let (isOver, isOrphan): (Bool, Bool) = (try row.get("is_over"), try row.get("is_orphan"))
      return SegmentDrawing.Part(
        frameCount: try row.get("frames"),
        state: state == .leased && isOver ? .pending : state,
        method: (try row.get("method") as String?).flatMap(SegmentMethod.init),
        isReused: state == .completed && isOrphan)
    }
    return SegmentDrawing(parts)
  }

  /// How each segment of a job is made, in order; `nil` if an earlier version planned the job.
  package func segmentKinds(of job: JobID) throws -> SegmentKinds? {
    SegmentKinds(
      try database.rows(
        "SELECT method FROM segments WHERE job = ?1 ORDER BY number", job.rawValue
      ) { (try $0.get("method") as String?).flatMap(SegmentMethod.init) })
  }
}
