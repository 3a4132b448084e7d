/// Collects findings while a file is read, up to a number that a person can use.
final class FindingLog {
  /// How many findings are kept; the rest are counted.
  static let limit = 200

  private var kept: [Finding] = []
  private var suppressed = 0
  /// How many values could not be read at all, so that what was read has holes.
  private(set) var holes = 0

  /// Notes something wrong with a value that is understood nevertheless.
  func note(_ finding: Finding) {
    if kept.count < Self.limit { kept.append(finding) } else { suppressed += 1 }
  }

  /// Notes a value that cannot be read.
  func noteHole(_ finding: Finding) {
    holes += 1
    note(finding)
  }

  /// What was noted, with a last line for what was not kept.
  var findings: [Finding] {
    guard suppressed > 0 else { return kept }
    return kept + [
      Finding(
        path: "project", problem: "\(suppressed) more things are wrong",
        remedy: "mend the ones above first")
    ]
  }
}
