import FarmAPI
import Scheduling

extension Farm {
  /// Changes the priority of an unfinished job. Segments that are leased already stay leased.
  nonisolated func prioritize(
    _ id: JobID, _ priority: Int, for caller: Caller = .local
  ) async throws -> JobStatus {
    try await setPriority(of: id, priority, for: caller)
    return try await status(of: id, for: caller)
  }

  private func setPriority(of id: JobID, _ priority: Int, for caller: Caller) throws {
    let status = try row(of: id, for: caller).status
    guard !status.state.isFinal else {
      throw FarmError(
        .wrongState,
        "job '\(id)' is already \(status.state.rawValue), so its priority has no effect")
    }
    let earlier = status.priority ?? 0
    guard earlier != priority else { return }
    try write([.jobPrioritized(id, priority)])
    // A job that is not planned yet is scheduled with this priority later.
    jobs[id]?.priority = priority
    dispatch(.jobPrioritized(id, priority))
    log.info("priority changed from \(earlier) to \(priority)", .job(id, by: caller))
    changed(id)
  }
}
