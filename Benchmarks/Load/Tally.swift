import Foundation
import Synchronization

/// Counts the events of many tasks.
final class Tally: Sendable {
  struct Counts: Sendable {
    var leases: [Duration] = []
    var heartbeats: [Duration] = []
    var deliveries: [Duration] = []
    /// The total time for which workers rendered, and for which they existed.
    var rendering = Duration.zero
    var working = Duration.zero
    var stopped = 0
    var streams = 0
    var events = 0
    var errors: [String] = []
  }

  private let counts = Mutex(Counts())

  /// Changes the counts.
  func note(_ change: (inout Counts) -> Void) { counts.withLock { change(&$0) } }

  /// Counts an error.
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

  /// A table of the calls, and a summary.
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
        + " of the workers' time spent rendering; \(counts.stopped) renders stopped; "
        + "\(errors.count) errors.")
    for error in errors.prefix(10) { lines.append("- \(error)") }
    return lines.joined(separator: "\n")
  }
}
