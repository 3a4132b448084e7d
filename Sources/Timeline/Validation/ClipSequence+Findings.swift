extension ClipSequence {
  /// All problems that can be found without media, in file order.
  public func findings() -> [Finding] {
    orderFindings()
      + items.enumerated().flatMap { index, item in
        switch item {
        case .clip(let clip): clip.findings(at: "sequence[\(index)]")
        case .transition(let transition): transition.findings(at: "sequence[\(index)]")
        }
      } + music.enumerated().flatMap { $1.findings(at: "music[\($0)]") } + formatFindings()
      + animationFindings() + export.findings()
  }

  /// The problems with the size and the rate that the sequence sets.
  func formatFindings() -> [Finding] {
    var findings = renderSize?.findings(at: "renderSize") ?? []
    let rates = RenderLimits.frameRates
    if let frameRate,
      !rates.contains(frameRate)
        || max(frameRate.numerator, frameRate.denominator) > Int64(Int32.max)
    {
      findings.append(
        Finding(
          path: "frameRate", problem: "\(frameRate) frames a second cannot be rendered",
          remedy: "give a number or a fraction such as \"30000/1001\" from \(rates.lowerBound) to"
            + " \(rates.upperBound)"))
    }
    return findings
  }

  private func animationFindings() -> [Finding] {
    guard let animation else { return [] }
    var findings = animation.findings(
      at: "animation", assets: Set(assets.keys), frameDuration: nil)
    for (path, layer) in animation.allLayers {
      guard case .image(let name) = layer.content else { continue }
      let path = "animation" + path.numbers.map { ".layers[\($0)]" }.joined() + ".asset"
      findings += [Finding(fileName: name, at: path)].compactMap(\.self)
    }
    if animation.track != nil {
      findings.append(
        Finding(
          path: "animation.track", problem: "a sequence has no instructions to place a track",
          remedy: "leave it out, or write the composition form"))
    }
    return findings
  }

  private func orderFindings() -> [Finding] {
    guard !items.isEmpty else {
      return [Finding(path: "sequence", problem: "there is no clip", remedy: "add one")]
    }
    var findings: [Finding] = []
    for (index, item) in items.enumerated() {
      guard case .transition(let transition) = item else { continue }
      let missing = "\(transition.duration) s of handle are missing"
      let path = "sequence[\(index)]"
      let remedy = "put every transition between two clips"
      if index == 0 {
        findings.append(
          Finding(
            path: path, problem: "a transition comes before any clip: \(missing)", remedy: remedy))
      } else if case .transition = items[index - 1] {
        findings.append(
          Finding(path: path, problem: "a transition follows a transition", remedy: remedy))
      }
      if index == items.count - 1 {
        findings.append(
          Finding(
            path: path, problem: "no clip comes after the transition: \(missing)", remedy: remedy))
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
    return findings + [RenderLimits.volumeFinding(volume, at: "\(path).volume")].compactMap(\.self)
      + speed.findings(at: "\(path).speed")
  }
}

extension ClipSpeed {
  /// The problems of the speed that can be found without media.
  func findings(at path: String) -> [Finding] {
    switch self {
    case .constant(let speed):
      return [RenderLimits.speedFinding(speed, at: path)].compactMap(\.self)
    case .pieces(let pieces):
      guard !pieces.isEmpty else {
        return [Finding(path: path, problem: "there is no piece", remedy: "add one")]
      }
      return pieces.enumerated().flatMap { number, piece in
        piece.findings(at: "\(path)[\(number)]", isLast: number == pieces.count - 1)
      }
    }
  }
}

extension ClipSpeed.Piece {
  fileprivate func findings(at path: String, isLast: Bool) -> [Finding] {
    var findings: [Finding] = []
    if let duration {
      if duration <= .zero {
        findings.append(TimeRange.lengthFinding(duration, at: "\(path).duration"))
      }
    } else if !isLast {
      findings.append(
        Finding(
          path: "\(path).duration", problem: "\"duration\" is missing",
          remedy: "add it: only the last piece takes the rest"))
    }
    let speeds =
      from == to
      ? [RenderLimits.speedFinding(from, at: "\(path).speed")]
      : [
        RenderLimits.speedFinding(from, at: "\(path).from"),
        RenderLimits.speedFinding(to, at: "\(path).to"),
      ]
    return findings + speeds.compactMap(\.self)
  }
}

extension SequenceTransition {
  fileprivate func findings(at path: String) -> [Finding] {
    (duration > .zero ? [] : [TimeRange.lengthFinding(duration, at: "\(path).duration")])
      + easing.findings(at: "\(path).easing")
      + Mask.softnessFindings(softness, at: "\(path).softness")
      + (kind.isMapped && map == nil
        ? [
          Finding(
            path: "\(path).map", problem: "\(kind.described) has no map",
            remedy: "name a grey-scale image")
        ] : [])
  }
}

extension MusicClip {
  fileprivate func findings(at path: String) -> [Finding] {
    let times = [("start", start), ("fadeIn", fadeIn), ("fadeOut", fadeOut)]
    return rangeFindings(at: path, from: inPoint, to: outPoint)
      + [
        RenderLimits.volumeFinding(volume, at: "\(path).volume"),
        RenderLimits.speedFinding(speed, at: "\(path).speed"),
      ].compactMap(\.self)
      + (duck?.findings(at: "\(path).duck") ?? [])
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
