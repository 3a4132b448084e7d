import FarmAPI
import Foundation

/// A job's progress in one line: a bar for terminals, words elsewhere.
package struct ProgressLine: Hashable, Sendable {
  /// The current activity, e.g. `rendering`.
  package var activity: String
  /// The progress from 0 to 1; `nil` if unknown.
  package var fraction: Double?
  /// Figures that follow, e.g. `120/300 frames`, `61.2 fps`, `2.04×`, `ETA 0:03`.
  package var figures: [String]

  package init(activity: String, fraction: Double?, figures: [String]) {
    self.activity = activity
    self.fraction = fraction.map { min(max($0, 0), 1) }
    self.figures = figures
  }

  /// Files are being hashed.
  static let hashing = ProgressLine(activity: "hashing", fraction: nil, figures: [])

  package init(_ job: JobStatus) {
    var figures: [String] = []
    let total = job.frameCount ?? 0
    let isFollowing = job.isFollowing == true
    if isFollowing {
      figures.append("\(job.framesRendered) frames so far (following a recording)")
    } else if total > 0 {
      figures.append("\(job.framesRendered)/\(total) frames")
    }
    if let reused = job.segmentsReused {
      figures.append("\(reused)/\(job.segments.total) segments reused")
    }
    if job.state == .rendering, let rate = job.framesPerSecond, rate > 0 {
      figures.append(Self.oneDecimal(rate) + " fps")
      if let duration = job.frameDuration { figures.append(Self.speed(rate * duration)) }
      if let seconds = job.secondsRemaining { figures.append("ETA \(Self.clock(seconds))") }
    }
    if let missing = job.waitingFor { figures.append("waiting for \(missing)") }
    self.init(
      activity: job.state.rawValue,
      fraction: total > 0 && !isFollowing ? Double(job.framesRendered) / Double(total) : nil,
      figures: figures)
  }

  package init(transfer activity: String, done: Int64, total: Int64) {
    self.init(
      activity: activity, fraction: total > 0 ? Double(done) / Double(total) : nil,
      figures: ["\(ByteCount(done))/\(ByteCount(total))"])
  }

  /// The progress in whole percent, rounded down so that 100 % means done.
  package var percent: Int? { fraction.map { Int($0 * 100) } }

  /// The line as a bar that fits in `columns`.
  package func bar(columns: Int, hasBlocks: Bool = true) -> String {
    let tail = (percent.map { ["\($0) %"] } ?? []) + figures
    let text = tail.joined(separator: "  ")
    let room = min(columns - 1 - activity.count - PrintableText(text).columns - 4, 30)
    guard let fraction, room >= 5 else {
      return PrintableText(([activity] + tail).joined(separator: "  "))
        .prefix(columns: max(columns - 1, 1))
    }
    let filled = Int(fraction * Double(room))
    let (full, empty) = hasBlocks ? ("█", "░") : ("#", ".")
    let bar =
      String(repeating: full, count: filled) + String(repeating: empty, count: room - filled)
    return "\(activity)  \(bar)  \(text)"
  }

  /// The line in words.
  package var plain: String {
    ([activity] + (percent.map { ["\($0) %"] } ?? []) + figures).joined(separator: ", ")
  }

  private static func oneDecimal(_ value: Double) -> String { String(format: "%.1f", value) }

  private static func speed(_ value: Double) -> String { String(format: "%.2f×", value) }

  /// Seconds as `m:ss` or `h:mm:ss`, rounded up.
  package static func clock(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "unknown" }
    let whole = Int(seconds.rounded(.up))
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    return hours > 0
      ? String(format: "%d:%02d:%02d", hours, minutes, rest)
      : String(format: "%d:%02d", minutes, rest)
  }
}
