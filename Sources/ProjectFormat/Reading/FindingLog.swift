import Timeline

/// Collects findings while a file is read, up to a useful number.
final class FindingLog {
  /// The maximum number of findings to keep. The rest are only counted.
  static let limit = 200

  private var kept: [Finding] = []
  private var suppressed = 0
  /// The paths of values that could not be read and were replaced by placeholders.
  private(set) var unread: [FindingPath] = []

  /// Records a problem with a value that can be read nevertheless.
  func note(_ finding: Finding) {
    if kept.count < Self.limit { kept.append(finding) } else { suppressed += 1 }
  }

  /// Records a value that cannot be read.
  func noteHole(_ finding: Finding) {
    noteHole(at: finding.path)
    note(finding)
  }

  /// Records a value that is unknown although nothing is wrong with it.
  func noteHole(at path: FindingPath) { unread.append(path) }

  /// Whether some findings were dropped because there were too many problems.
  var isFull: Bool { suppressed > 0 || unread.count > Self.limit }

  /// The recorded findings. If some were dropped, the last one states their number.
  var findings: [Finding] {
    guard suppressed > 0 else { return kept }
    return kept + [.more(suppressed)]
  }
}

extension Finding {
  /// The last finding of a list that was cut off.
  static func more(_ count: Int) -> Finding {
    Finding(
      path: "project", problem: "\(count) more problems were found",
      remedy: "fix the ones above first")
  }
}
