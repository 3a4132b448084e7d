/// Decides which progress is worth a line where lines cannot be redrawn: every change of activity, then one for
/// each five percent, or one in ten seconds where that is rarer.
package struct PlainPacing: Sendable {
  private var activity: String?
  private var percent = 0
  private var printedAt: Duration = .zero

  /// Nothing printed yet.
  package init() {}

  /// Whether to print the line at an instant, given as the time since some fixed beginning.
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
