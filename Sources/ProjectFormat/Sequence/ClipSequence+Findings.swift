import Timeline

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
      + animationFindings() + titles.enumerated().flatMap { $1.findings(at: "titles[\($0)]") }
      + export.findings()
  }

  /// The problems with the render size and the frame rate that the sequence sets.
  func formatFindings() -> [Finding] {
    var findings = renderSize?.findings(at: "renderSize") ?? []
    let rates = RenderLimits.frameRates
    if let frameRate,
      !rates.contains(frameRate)
        || max(frameRate.numerator, frameRate.denominator) > Int64(Int32.max)
    {
      findings.append(
        Finding(
          path: "frameRate", problem: "\(frameRate) frames per second cannot be rendered",
          remedy: "use a number or a fraction such as \"30000/1001\" from \(rates.lowerBound) to"
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
      let path: FindingPath = "\(path.place(in: "animation")).asset"
      findings += [Finding(fileName: name, at: path)].compactMap(\.self)
    }
    if animation.track != nil {
      findings.append(
        Finding(
          path: "animation.track",
          problem: "an animation track needs instructions, which a sequence does not have",
          remedy: "remove it, or use the composition form"))
    }
    return findings
  }

  private func orderFindings() -> [Finding] {
    guard !items.isEmpty else {
      return [Finding(path: "sequence", problem: "the sequence is empty", remedy: "add a clip")]
    }
    var findings: [Finding] = []
    for (index, item) in items.enumerated() {
      guard case .transition(let transition) = item else { continue }
      let missing = "it needs a clip of at least \(transition.duration) s"
      let path: FindingPath = "sequence[\(index)]"
      let remedy = "put each transition between two clips"
      if index == 0 {
        findings.append(
          Finding(
            path: path, problem: "a transition comes before the first clip: \(missing) before it",
            remedy: remedy))
      } else if case .transition = items[index - 1] {
        findings.append(
          Finding(path: path, problem: "a transition follows another transition", remedy: remedy))
      }
      if index == items.count - 1 {
        findings.append(
          Finding(
            path: path, problem: "no clip follows the transition: \(missing) after it",
            remedy: remedy))
      }
    }
    return findings
  }
}

extension SequenceClip {
  fileprivate func findings(at path: FindingPath) -> [Finding] {
    var findings = rangeFindings(at: path, from: inPoint, to: outPoint)
    if let duration, duration <= .zero {
      findings.append(TimeRange.lengthFinding(duration, at: "\(path).duration"))
    }
    if duration != nil, outPoint != nil {
      findings.append(
        Finding(
          path: "\(path).duration",
          problem: "\"out\" and \"duration\" cannot be used together",
          remedy: "remove one of them"))
    }
    return findings + [RenderLimits.volumeFinding(volume, at: "\(path).volume")].compactMap(\.self)
      + speed.findings(at: "\(path).speed")
  }
}

extension ClipSpeed {
  /// The problems of the speed that can be found without media.
  func findings(at path: FindingPath) -> [Finding] {
    switch self {
    case .constant(let speed):
      return [RenderLimits.speedFinding(speed, at: path)].compactMap(\.self)
    case .pieces(let pieces):
      guard !pieces.isEmpty else {
        return [Finding(path: path, problem: "the list is empty", remedy: "add a piece")]
      }
      return pieces.enumerated().flatMap { number, piece in
        piece.findings(at: "\(path)[\(number)]", isLast: number == pieces.count - 1)
      }
    }
  }
}

extension ClipSpeed.Piece {
  fileprivate func findings(at path: FindingPath, isLast: Bool) -> [Finding] {
    var findings: [Finding] = []
    if let duration {
      if duration <= .zero {
        findings.append(TimeRange.lengthFinding(duration, at: "\(path).duration"))
      }
    } else if !isLast {
      findings.append(
        Finding(
          path: "\(path).duration", problem: "\"duration\" is missing",
          remedy: "add it: only the last piece may omit it"))
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
  fileprivate func findings(at path: FindingPath) -> [Finding] {
    (duration > .zero ? [] : [TimeRange.lengthFinding(duration, at: "\(path).duration")])
      + easing.findings(at: "\(path).easing")
      + Mask.softnessFindings(softness, at: "\(path).softness")
      + (kind.isMapped && map == nil
        ? [
          Finding(
            path: "\(path).map", problem: "\(kind.described) needs a \"map\"",
            remedy: "add the path or URL of a grayscale image")
        ] : [])
  }
}

extension MusicClip {
  fileprivate func findings(at path: FindingPath) -> [Finding] {
    let times = [("start", start), ("fadeIn", fadeIn), ("fadeOut", fadeOut)]
    return rangeFindings(at: path, from: inPoint, to: outPoint)
      + [
        RenderLimits.volumeFinding(volume, at: "\(path).volume"),
        RenderLimits.speedFinding(speed, at: "\(path).speed"),
      ].compactMap(\.self)
      + (duck?.findings(at: "\(path).duck") ?? [])
      + times.filter { $0.1 < .zero }.map { key, time in
        Finding(path: "\(path).\(key)", problem: "\(time) is negative", remedy: "use 0 or more")
      }
  }
}

private func rangeFindings(
  at path: FindingPath, from inPoint: RationalTime?, to outPoint: RationalTime?
) -> [Finding] {
  var findings: [Finding] = []
  if let inPoint, inPoint < .zero {
    findings.append(
      Finding(path: "\(path).in", problem: "\(inPoint) is negative", remedy: "use 0 or more"))
  }
  if let outPoint, outPoint <= inPoint ?? .zero {
    findings.append(
      Finding(
        path: "\(path).out",
        problem: "\(outPoint) is not after the \"in\" point, \(inPoint ?? .zero)",
        remedy: "use a later time"))
  }
  return findings
}
