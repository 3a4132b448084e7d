import FarmAPI

extension Scheduler {
  /// How long the oldest pending segment has waited for a worker; `nil` if none is pending. Takes O(n) in the number of
  /// segments.
  public func longestWait(at now: Instant) -> Duration? {
    jobs.values.lazy.filter { $0.counts.pending > 0 }
      .flatMap { $0.segments.lazy.filter { $0.state == .pending }.map(\.pendingSince) }
      .min().map { now - $0 }
  }

  /// How long the segment of a lease was pending before the lease began; `nil` if the lease is not in force, or is a
  /// speculative copy.
  public func wait(before token: LeaseToken) -> Duration? {
    guard let lease = leases[token], !lease.grant.isCopy,
      let job = jobs[lease.grant.segment.job]
    else { return nil }
    return lease.since - job.segments[lease.grant.segment.index].pendingSince
  }
}
