extension ClipSequence {
  /// Everything that is wrong as far as it shows without media, in the order of the file.
  public func findings() -> [Finding] {
    orderFindings()
      + items.enumerated().flatMap { index, item in
        switch item {
        case .clip(let clip): clip.findings(at: "sequence[\(index)]")
        case .transition(let transition): transition.findings(at: "sequence[\(index)]")
        }
      } + music.enumerated().flatMap { $1.findings(at: "music[\($0)]") } + export.findings()
  }

  private func orderFindings() -> [Finding] {
    guard !items.isEmpty else {
      return [Finding(path: "sequence", problem: "there is no clip", remedy: "add one")]
    }
    var findings: [Finding] = []
    for (index, item) in items.enumerated() {
      guard case .transition = item else { continue }
      let path = "sequence[\(index)]"
      let remedy = "put every transition between two clips"
      if index == 0 {
        findings.append(
          Finding(path: path, problem: "a transition comes before any clip", remedy: remedy))
      } else if case .transition = items[index - 1] {
        findings.append(
          Finding(path: path, problem: "a transition follows a transition", remedy: remedy))
      }
      if index == items.count - 1 {
        findings.append(
          Finding(path: path, problem: "no clip comes after the transition", remedy: remedy))
      }
    }
    return findings
  }
}

extension SequenceClip {
  fileprivate func findings(at path: String) -> [Finding] {
    var findings = rangeFindings(at: path, from: inPoint, to: outPoint)
    if let duration, duration <= .zero {
      findings.append(TimeRange.lengthFinding(duration, at: "\(path).duration"))
    }
    if duration != nil, outPoint != nil {
      findings.append(
        Finding(
          path: "\(path).duration", problem: "there is an \"out\" as well as a \"duration\"",
          remedy: "give one of the two"))
    }
    return findings + volumeFindings(volume, at: "\(path).volume")
  }
}

extension SequenceTransition {
  fileprivate func findings(at path: String) -> [Finding] {
    (duration > .zero ? [] : [TimeRange.lengthFinding(duration, at: "\(path).duration")])
      + easing.findings(at: "\(path).easing")
  }
}

extension MusicClip {
  fileprivate func findings(at path: String) -> [Finding] {
    let times = [("start", start), ("fadeIn", fadeIn), ("fadeOut", fadeOut)]
    return rangeFindings(at: path, from: inPoint, to: outPoint)
      + volumeFindings(volume, at: "\(path).volume")
      + times.filter { $0.1 < .zero }.map { key, time in
        Finding(path: "\(path).\(key)", problem: "\(time) is below 0", remedy: "give 0 or more")
      }
  }
}

private func rangeFindings(
  at path: String, from inPoint: RationalTime?, to outPoint: RationalTime?
) -> [Finding] {
  var findings: [Finding] = []
  if let inPoint, inPoint < .zero {
    findings.append(
      Finding(path: "\(path).in", problem: "\(inPoint) is before 0", remedy: "give 0 or more"))
  }
  if let outPoint, outPoint <= inPoint ?? .zero {
    findings.append(
      Finding(
        path: "\(path).out", problem: "\(outPoint) is not after the \"in\", \(inPoint ?? .zero)",
        remedy: "end after the start"))
  }
  return findings
}

private func volumeFindings(_ volume: Double, at path: String) -> [Finding] {
  guard !(volume >= 0) else { return [] }
  return [Finding(path: path, problem: "\(volume) is no volume", remedy: "give 0 or more")]
}
