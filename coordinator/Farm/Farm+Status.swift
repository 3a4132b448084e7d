import FarmAPI
import Foundation
import Scheduling

/// The state of the whole farm, and its recent past.
extension Farm {
  /// The state of the farm, except for its stores and the search for damaged files.
  func farmStatus() throws -> FarmStatus {
    dispatch(.timePassed)
    let load = scheduler.load
    var status = FarmStatus(
      now: clock.date(), startedAt: startedAt,
      segments: FarmStatus.Segments(pending: load.pending, leased: load.leased),
      workers: load.workers, slots: load.slots, slotsBusy: load.slotsBusy,
      desiredWorkers: load.desiredWorkers,
      framesPerSecond: renderMeter.framesPerSecond(at: clock.now()))
    status.pools = load.pools.map { pool, segments in
      FarmStatus.Pool(
        name: pool.description, pending: segments.pending, leased: segments.leased)
    }.sorted { $0.name < $1.name }
    let counts = try ledger.jobCounts()
    status.jobs.queued = counts[.queued] ?? 0
    status.jobs.planning = counts[.planning] ?? 0
    status.jobs.rendering = counts[.rendering] ?? 0
    status.jobs.assembling = counts[.assembling] ?? 0
    status.jobs.completed = counts[.completed] ?? 0
    status.jobs.failed = counts[.failed] ?? 0
    status.jobs.cancelled = counts[.cancelled] ?? 0
    return status
  }

  /// Logs what a caller has done.
  func note(_ deed: String, by caller: Caller) {
    var fields = LogFields()
    fields.add("caller", caller.name)
    log.info(deed, fields)
  }

  /// The recent past of the farm.
  func farmHistory(of range: FarmHistory.Range) -> FarmHistory {
    let now = clock.now()
    recordLoad(at: now)
    let (points, interval, start) = loadHistory.points(of: range)
    return FarmHistory(
      interval: Int(interval.components.seconds),
      start: clock.date().addingTimeInterval(-((now - start) / .seconds(1))), points: points)
  }

  /// Records the load in the intervals that have ended. The scheduler has not handled the next event yet.
  func recordLoad(at now: Instant) {
    guard loadHistory.isDue(at: now) else { return }
    loadHistory.record(scheduler.load, frames: renderMeter.frames, at: now)
  }
}
