import Foundation

/// The distribution of some response times, in milliseconds.
struct ResponseTimes: Encodable, Sendable {
  let count: Int
  let median: Float
  let p99: Float
  let longest: Float

  init(_ times: [Float]) {
    let sorted = times.sorted()
    func time(_ share: Double) -> Float {
      guard !sorted.isEmpty else { return 0 }
      return sorted[min(sorted.count - 1, Int((Double(sorted.count) * share).rounded(.down)))]
    }
    count = sorted.count
    (median, p99, longest) = (time(0.5), time(0.99), time(1))
  }
}

/// The result of a run.
struct LoadReport: Sendable {
  let configuration: LoadConfiguration
  let elapsed: Duration
  let counts: Tally.Counts

  var errors: [String] { counts.errors }

  /// A table of the calls, and a summary.
  var markdown: String {
    var lines = [
      "| calls | count | median, ms | 99th percentile, ms | longest, ms |", "|---|---|---|---|---|",
    ]
    for call in Call.allCases {
      guard let times = counts.times[call] else { continue }
      let figures = ResponseTimes(times)
      let cells = [figures.median, figures.p99, figures.longest].map { String(format: "%.1f", $0) }
      lines.append("| \(call.rawValue) | \(figures.count) | \(cells.joined(separator: " | ")) |")
    }
    lines.append("")
    lines.append(
      "\(configuration.workers) workers, \(counts.streams) event streams with \(counts.events) events, "
        + String(format: "%.0f s: ", elapsed / .seconds(1))
        + "\(counts.times[.delivery]?.count ?? 0) segments, "
        + String(format: "%.3f", counts.rendering / counts.working)
        + " of the workers' time spent rendering; \(counts.stopped) renders stopped; "
        + "\(counts.storeRefusals) chunks sent to a coordinator because the store refused them; "
        + "\(errors.count) errors.")
    for (kind, examples) in kindsOfErrors.prefix(10) {
      lines.append("- \(examples.count) × \(kind), such as \(examples[0])")
    }
    return lines.joined(separator: "\n")
  }

  /// The errors, with the most frequent kind first. Errors of one kind differ only in workers and URLs.
  private var kindsOfErrors: [(key: Substring, value: [String])] {
    Dictionary(grouping: errors) { error in
      error.range(of: ": ", options: .backwards).map { error[$0.upperBound...] } ?? error[...]
    }.sorted { $0.value.count > $1.value.count }
  }
}
