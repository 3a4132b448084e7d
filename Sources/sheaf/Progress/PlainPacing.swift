/// Decides which progress to print if lines cannot be redrawn: every change of activity, every five percent, and a line
/// after ten seconds without one. Lines of the same activity are at least a second apart.
package struct PlainPacing: Sendable {
  private var activity: String?
  private var percent = 0
  private var printedAt: Duration = .zero

  /// Creates a pacing that has printed nothing yet.
  package init() {}

  /// Decides whether to print a line. `instant` is the time since a fixed start.
  package mutating func shouldPrint(_ line: ProgressLine, at instant: Duration) -> Bool {
    let step = (line.percent ?? 0) / 5
    let isNew = line.activity != activity
    let isDue = step != percent / 5 || instant - printedAt >= .seconds(10)
    let isSoon = instant - printedAt < .seconds(1)
    guard isNew || (isDue && !isSoon) else { return false }
    activity = line.activity
    percent = line.percent ?? 0
    printedAt = instant
    return true
  }
}
