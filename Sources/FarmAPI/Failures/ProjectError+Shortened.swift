import ProjectFormat
import Timeline

extension ProjectError {
  /// The maximum number of findings in a failure.
  private static let mostFindings = 200
  /// The maximum size in bytes of a finding in a failure's message.
  private static let longestLine = 1024

  /// The error with as many of its findings as fit into a failure's message. Long ones are shortened.
  package var shortened: ProjectError {
    var shown: [Finding] = []
    // Leaves room for the line with the number of further findings.
    var room = JobFailure.longestMessage - Self.longestLine
    for finding in findings.prefix(Self.mostFindings) {
      let finding = finding.shortened(toBytes: Self.longestLine)
      room -= finding.description.utf8.count + 1
      guard room >= 0 else { break }
      shown.append(finding)
    }
    return ProjectError(
      code: code, findings: shown, omittedCount: omittedCount + findings.count - shown.count)
  }
}

extension Finding {
  /// The finding with the parts of its line shortened, so that the line fits.
  fileprivate func shortened(toBytes limit: Int) -> Finding {
    guard description.utf8.count > limit else { return self }
    var finding = self
    let place = path.description
    if place.utf8.count > limit / 4 { finding.path = .text(place.shortened(toBytes: limit / 4)) }
    finding.remedy = remedy.shortened(toBytes: limit / 4)
    finding.problem = ""
    finding.problem = problem.shortened(toBytes: limit - finding.description.utf8.count)
    return finding
  }
}
