import Foundation
import Synchronization

/// What happened, counted by many tasks.
final class Tally: Sendable {
  struct Counts: Sendable {
    var leases: [Duration] = []
    var heartbeats: [Duration] = []
    var deliveries: [Duration] = []
    /// How long workers rendered, and how long there were any.
    var rendering = Duration.zero
    var working = Duration.zero
    var stopped = 0
    var streams = 0
    var events = 0
    var errors: [String] = []
  }

  private let counts = Mutex(Counts())

  /// Counts something.
  func note(_ change: (inout Counts) -> Void) { counts.withLock { change(&$0) } }

  /// Counts what should not have happened.
  func fail(_ message: String) { counts.withLock { $0.errors.append(message) } }

  func report(_ configuration: LoadConfiguration) -> LoadReport {
    LoadReport(configuration: configuration, counts: counts.withLock { $0 })
  }
}

/// The result of a run.
struct LoadReport: Sendable {
  let configuration: LoadConfiguration
  let counts: Tally.Counts

  var errors: [String] { counts.errors }

  /// Two tables.
  var markdown: String {
    var lines = [
      "| calls | count | median, ms | 99th percentile, ms | longest, ms |", "|---|---|---|---|---|",
    ]
    for (name, durations) in [
      ("lease granted", counts.leases), ("heartbeat", counts.heartbeats),
      ("chunk delivered", counts.deliveries),
    ] {
      let sorted = durations.sorted()
      let figures = [0.5, 0.99, 1].map { share in
        guard !sorted.isEmpty else { return "–" }
        let place = min(sorted.count - 1, Int((Double(sorted.count) * share).rounded(.down)))
        return String(format: "%.1f", sorted[place] / .milliseconds(1))
      }
      lines.append("| \(name) | \(sorted.count) | \(figures.joined(separator: " | ")) |")
    }
    lines.append("")
    lines.append(
      "\(configuration.workers) workers, \(counts.streams) event streams with \(counts.events) events,"
        + " \(Int(configuration.seconds)) s: \(counts.deliveries.count) segments, "
        + String(format: "%.3f", counts.rendering / counts.working)
        + " of the workers' time spent in rendering; \(counts.stopped) told to stop; "
        + "\(errors.count) errors.")
    for error in errors.prefix(10) { lines.append("- \(error)") }
    return lines.joined(separator: "\n")
  }
}
