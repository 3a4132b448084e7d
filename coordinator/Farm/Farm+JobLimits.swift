import FarmAPI
import Preparation
import Scheduling

/// The limits that jobs were accepted under.
extension Farm {
  /// The limits of a job: each is the one that it was accepted under, or the current one if that is larger.
  func limits(of id: JobID) -> JobLimits { jobs[id]?.limits ?? jobLimits }

  /// The limits of a job. Can be called before the job is resumed, while a plan from an earlier version is converted.
  func ledgerLimits(of id: JobID) throws -> JobLimits {
    if let limits = jobs[id]?.limits { return limits }
    return try ledger.job(id)?.limits?.union(jobLimits) ?? jobLimits
  }

  /// Rejects a job that would bring its submitter's unfinished segments over the limit.
  func checkSegmentLimit(_ count: Int, of id: JobID, _ limits: JobLimits) throws {
    let others = try ledger.segmentCount(besides: id)
    guard others + count <= limits.segments else {
      throw JobError(
        .limitReached,
        "the project has \(count) segments, and your other unfinished jobs have \(others): the "
          + "limit is \(limits.segments): wait for those jobs to end, or split the project")
    }
  }
}
