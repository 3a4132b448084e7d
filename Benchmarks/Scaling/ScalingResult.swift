import Foundation

/// The outcome of a simulated job.
struct ScalingResult {
  let model: FarmModel
  let hosts: [VirtualHost]
  /// The time from the job's start to its last chunk.
  let rendering: Duration
  /// The time from the last chunk until the file is finished, without the wait for the mix.
  let assembly: Duration
  /// The time by which the file waits for the mix.
  let waitForMix: Duration
  /// The number of leases that were granted.
  let attempts: Int

  /// The time that the hosts would take if they did nothing but render, and all ended at once.
  ///
  /// Only for hosts that stay.
  var ideal: Duration { model.totalRenderTime / hosts.reduce(0) { $0 + $1.speed } }

  /// The part of the hosts' time until the last chunk that `part` adds up.
  func share(_ part: (VirtualHost) -> Duration) -> Double {
    let total = hosts.reduce(Duration.zero) { sum, host in
      sum + max(min(host.leaves ?? rendering, rendering) - host.arrives, .zero)
    }
    return hosts.reduce(Duration.zero) { $0 + part($1) } / total
  }

  /// The time from the job's start to its file.
  var file: Duration { rendering + assembly + waitForMix }
}

extension Duration {
  /// The length in seconds.
  var seconds: Double { self / .seconds(1) }
}

/// A Markdown table.
struct Table {
  private var rows: [[String]]

  init(_ columns: String...) {
    rows = [columns, columns.map { _ in "---" }]
  }

  /// Adds a row.
  mutating func add(_ cells: String...) { rows.append(cells) }

  /// The table's text.
  var text: String {
    rows.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
  }
}

extension Double {
  /// The number with a fixed count of decimals.
  func text(_ decimals: Int) -> String { String(format: "%.\(decimals)f", self) }

  /// A share as a percentage.
  var percent: String { "\((100 * self).text(1)) %" }
}
