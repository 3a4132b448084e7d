import Timeline

extension TimeRange {
  /// The findings for a range that must start at or after zero and must not be empty.
  func findings(at path: FindingPath) -> [Finding] {
    var findings: [Finding] = []
    if start < .zero {
      findings.append(
        Finding(
          path: "\(path).start", problem: "\(start) is negative", remedy: "start at 0 or later"))
    }
    if duration <= .zero {
      findings.append(Self.lengthFinding(duration, at: "\(path).duration"))
    }
    return findings
  }

  /// The finding for a duration that is zero or negative.
  static func lengthFinding(_ duration: RationalTime, at path: FindingPath) -> Finding {
    Finding(
      path: path, problem: "\(duration) is not a valid duration",
      remedy: "use a value greater than 0")
  }
}
