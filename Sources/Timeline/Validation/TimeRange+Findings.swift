extension TimeRange {
  /// The range for a message, e.g. `[1/2, 3)`.
  var shown: String { "[\(start), \(end))" }

  /// Findings for a range that must lie at or after zero and have a length.
  func findings(at path: String) -> [Finding] {
    var findings: [Finding] = []
    if start < .zero {
      findings.append(
        Finding(
          path: "\(path).start", problem: "\(start) is before 0", remedy: "start at 0 or later"))
    }
    if duration <= .zero {
      findings.append(Self.lengthFinding(duration, at: "\(path).duration"))
    }
    return findings
  }

  /// The finding for a length that is none.
  static func lengthFinding(_ duration: RationalTime, at path: String) -> Finding {
    Finding(
      path: path, problem: "\(duration) is not a length of time",
      remedy: "give a duration above 0")
  }
}
