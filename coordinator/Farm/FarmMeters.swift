import FarmAPI
import Scheduling
import Timeline

/// Measurements of leases, renders and workers since the coordinator started.
package struct FarmMeters: Sendable {
  /// The work of a worker under all its ids.
  struct WorkerFigures: Hashable, Sendable {
    var completed = 0
    var failed = 0
    var frames = 0
  }

  /// The time that requests waited until they got a lease.
  private(set) var requestWaits = Histogram([0.01, 0.1, 0.5, 1, 2.5, 5, 10, 20, 30])
  /// The time that segments were pending until they were leased.
  private(set) var segmentWaits = Histogram([0.1, 1, 5, 15, 60, 300, 900, 3600, 14400])
  /// The speed of completed renders in frames per second, from lease to delivery.
  private(set) var speeds: [VideoSettings.Codec: Histogram] = [:]
  /// The figures of workers by name.
  private(set) var workers: [String: WorkerFigures] = [:]
  /// The instants since which workers with figures have been absent, by name.
  private var absences: [String: Instant] = [:]
  /// The instants at which the current leases began. After a restart, those of earlier leases are unknown.
  private var starts: [LeaseToken: Instant] = [:]

  /// The number of workers that have figures of their own. Names come from outside, and each is a time series.
  package static let workerLimit = 500
  /// The time after which the figures of a worker that has left are forgotten.
  package static let workerMemory = Duration.seconds(86_400)
  /// The name under which other workers are counted together.
  package static let otherWorkers = "(others)"

  /// Meters that have measured nothing.
  package init() {}

  /// Records a lease.
  ///
  /// - Parameter wait: how long its segment was pending; `nil` for a speculative copy.
  mutating func began(_ grant: Grant, after wait: Duration?, at now: Instant) {
    starts[grant.token] = now
    if let wait { segmentWaits.observe(wait) }
  }

  /// Records that a request got a lease after a wait.
  mutating func granted(after wait: Duration) { requestWaits.observe(wait) }

  /// Records the end of an attempt.
  ///
  /// - Parameter codec: the codec in which its segment was encoded; `nil` if its packets were copied, which says nothing
  ///   about the speed of renders.
  package mutating func ended(
    _ grant: Grant, _ outcome: AttemptOutcome, by worker: String, frames: Int,
    of codec: VideoSettings.Codec?, at now: Instant
  ) {
    let start = starts.removeValue(forKey: grant.token)
    let name = self.name(worker)
    switch outcome {
    case .completed, .held:
      workers[name, default: WorkerFigures()].completed += 1
      workers[name, default: WorkerFigures()].frames += frames
      if let codec, let start, now > start {
        speeds[codec, default: Self.speeds].observe(Double(frames) / ((now - start) / .seconds(1)))
      }
    case .failed: workers[name, default: WorkerFigures()].failed += 1
    default: break
    }
  }

  private static let speeds = Histogram([1, 2, 5, 10, 25, 50, 100, 250, 1000])

  /// Forgets the figures of workers that have been absent for a day, so that the names of workers that come and go do
  /// not pile up.
  ///
  /// - Parameter present: the names of the workers that are not lost.
  package mutating func forgetWorkers(besides present: Set<String>, at now: Instant) {
    for name in workers.keys where name != Self.otherWorkers {
      if present.contains(name) {
        absences[name] = nil
      } else if let since = absences[name] {
        guard now - since >= Self.workerMemory else { continue }
        workers[name] = nil
        absences[name] = nil
      } else {
        absences[name] = now
      }
    }
  }

  /// The label of a worker.
  package func name(_ worker: String) -> String {
    workers[worker] != nil || workers.count < Self.workerLimit ? worker : Self.otherWorkers
  }

  /// Adds the measurements to a page.
  func add(to page: inout MetricsPage) {
    page.histogram(
      "sheaf_lease_request_duration_seconds",
      "Time that workers' requests waited until they got a lease.", [([:], requestWaits)])
    page.histogram(
      "sheaf_segment_wait_seconds", "Time that segments were pending until they were leased.",
      [([:], segmentWaits)])
    page.histogram(
      "sheaf_render_speed_fps",
      "Speed of completed renders in frames per second, from lease to delivery, by codec; without "
        + "copied segments.",
      VideoSettings.Codec.allCases.map {
        (["codec": $0.rawValue], speeds[$0] ?? Self.speeds)
      })
    let names = workers.keys.sorted()
    page.counter(
      "sheaf_worker_segments_completed_total", "Chunks accepted from a worker.",
      names.map { .init(workers[$0]?.completed ?? 0, ["worker": $0]) })
    page.counter(
      "sheaf_worker_attempts_failed_total", "Attempts of a worker that failed.",
      names.map { .init(workers[$0]?.failed ?? 0, ["worker": $0]) })
    page.counter(
      "sheaf_worker_frames_total", "Frames of the chunks accepted from a worker.",
      names.map { .init(workers[$0]?.frames ?? 0, ["worker": $0]) })
  }
}
