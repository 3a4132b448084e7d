/// Collects findings while a file is read, up to a number that a person can use.
final class FindingLog {
  /// The number of findings that are kept; the rest are counted.
  static let limit = 200

  private var kept: [Finding] = []
  private var suppressed = 0
  /// The values that could not be read, and have something else in their places in what was read.
  private(set) var unread: [String] = []

  /// Notes something wrong with a value that is understood nevertheless.
  func note(_ finding: Finding) {
    if kept.count < Self.limit { kept.append(finding) } else { suppressed += 1 }
  }

  /// Records a value that cannot be read.
  func noteHole(_ finding: Finding) {
    noteHole(at: finding.path)
    note(finding)
  }

  /// Records that a value cannot be known, though nothing is wrong with it.
  func noteHole(at path: String) { unread.append(path) }

  /// Whether so much is wrong that no more is kept.
  var isFull: Bool { suppressed > 0 || unread.count > Self.limit }

  /// The recorded findings, with a last one for those that were not kept.
  var findings: [Finding] {
    guard suppressed > 0 else { return kept }
    return kept + [.more(suppressed)]
  }
}

extension Finding {
  /// The last line of a list that does not have all.
  static func more(_ count: Int) -> Finding {
    Finding(
      path: "project", problem: "\(count) more things are wrong",
      remedy: "mend the ones above first")
  }
}
