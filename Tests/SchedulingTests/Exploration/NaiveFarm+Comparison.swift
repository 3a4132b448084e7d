import Crypto
import FarmAPI
import Planning
import Scheduling

extension NaiveFarm {
  /// Compares every count with the scheduler's.
  mutating func compare(with scheduler: Scheduler) {
    require(scheduler.leaseCount == leases.count, "the leases are miscounted")
    require(scheduler.waitingCount == waiting.count, "the waits are miscounted")
    for submitter in Exploration.submitters {
      require(
        scheduler.leaseCount(of: submitter) == leaseCount(of: submitter), "a share is miscounted")
    }
    for (id, job) in jobs {
      guard let progress = scheduler.progress(of: id) else {
        require(false, "a job is lost")
        continue
      }
      var frames = 0
      var (pending, leased, completed) = (0, 0, 0)
      for (index, segment) in job.segments.enumerated() {
        require(
          scheduler.isUnderAudit(SegmentID(job: id, index: index)) == !segment.held.isEmpty,
          "an audit is lost, or never ends")
        if segment.isCompleted {
          completed += 1
          frames += segment.frames.count
        } else if segment.leases.isEmpty {
          pending += 1
        } else {
          leased += 1
          frames += segment.leases.map { leases[$0.token]?.frames ?? 0 }.max() ?? 0
        }
      }
      require(
        progress.segments.pending == pending && progress.segments.leased == leased
          && progress.segments.completed == completed && progress.segments.failed == 0,
        "the segments are miscounted")
      require(progress.framesRendered == frames, "the frames are miscounted")
    }
  }
}
