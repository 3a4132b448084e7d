extension VideoComposition {
  /// What is wrong with the instructions for a composition, and with the output's size and rate.
  func findings(composition: Composition, preset: ExportPreset) -> [Finding] {
    let path = "videoComposition"
    var findings = renderSize.findings(at: "\(path).renderSize")
    if let bounds = preset.bounds(forPortrait: renderSize.height > renderSize.width),
      renderSize.width > bounds.width || renderSize.height > bounds.height
    {
      findings.append(
        .unsupported(
          "\(path).renderSize",
          "scaling \(renderSize) into the preset \(preset.name), \(bounds),",
          remedy: "give a render size within it, or another preset"))
    }
    if renderScale != 1 {
      findings.append(
        .unsupported("\(path).renderScale", "the scale \(renderScale)", remedy: "leave it out"))
    }
    findings += frameDurationFindings(duration: composition.duration)
    findings += coverageFindings(duration: composition.duration)
    for (index, instruction) in instructions.enumerated() {
      for (layerIndex, layer) in instruction.layers.enumerated() {
        findings += layer.findings(
          at: "\(path).instructions[\(index)].layers[\(layerIndex)]", composition: composition)
      }
    }
    return findings
  }

  private func frameDurationFindings(duration: RationalTime) -> [Finding] {
    let path = "videoComposition.frameDuration"
    let (shortest, longest) = RenderLimits.frameDurations
    guard frameDuration >= shortest, frameDuration <= longest,
      frameDuration.denominator <= Int32.max, frameDuration.numerator <= Int32.max
    else {
      return [
        Finding(
          path: path, problem: "\(frameDuration) s cannot be the length of a frame",
          remedy: "give a fraction such as \"1/30\" from \(shortest) to \(longest)")
      ]
    }
    if let frames = try? duration.ticks(of: frameDuration, rounding: .up),
      frames <= RenderLimits.frameCount
    {
      return []
    }
    return [
      Finding(
        path: path, problem: "\(duration) s are too many frames of \(frameDuration) s",
        remedy: "render at most \(RenderLimits.frameCount) frames")
    ]
  }

  private func coverageFindings(duration: RationalTime) -> [Finding] {
    let path = "videoComposition.instructions"
    guard let first = instructions.first, let last = instructions.last else {
      return [
        Finding(
          path: path, problem: "there is no instruction",
          remedy: "cover [0, \(duration)), or leave out videoComposition to have it derived")
      ]
    }
    var findings: [Finding] = []
    if first.timeRange.start > .zero {
      findings.append(
        Finding(
          path: "\(path)[0].timeRange.start",
          problem: "[0, \(first.timeRange.start)) is not covered", remedy: "start at 0"))
    }
    for (index, instruction) in instructions.enumerated() {
      let range = instruction.timeRange
      if range.duration <= .zero {
        findings.append(
          TimeRange.lengthFinding(
            range.duration, at: "\(path)[\(index)].timeRange.duration"))
      }
      guard index > 0 else { continue }
      let before = instructions[index - 1].timeRange
      guard range.start != before.end else { continue }
      findings.append(
        Finding(
          path: "\(path)[\(index)].timeRange.start",
          problem: range.start > before.end
            ? "there is a gap over [\(before.end), \(range.start)) after instructions[\(index - 1)]"
            : "\(range.shown) overlaps instructions[\(index - 1)], \(before.shown)",
          remedy: "start at \(before.end)"))
    }
    if last.timeRange.end < duration {
      findings.append(
        Finding(
          path: "\(path)[\(instructions.count - 1)].timeRange",
          problem: "[\(last.timeRange.end), \(duration)) is not covered",
          remedy: "let the last instruction reach the composition's end, \(duration)"))
    }
    return findings
  }
}

extension LayerInstruction {
  fileprivate func findings(at path: String, composition: Composition) -> [Finding] {
    var findings: [Finding] = []
    switch composition.track(track)?.mediaType {
    case .video: break
    case .audio:
      findings.append(
        Finding(
          path: "\(path).track", problem: "track \(track) is an audio track",
          remedy: "name a video track"))
    case nil:
      let known = composition.tracks.filter { $0.mediaType == .video }.map { "\($0.id)" }
      findings.append(
        Finding(
          path: "\(path).track", problem: "there is no track \(track)",
          remedy: known.isEmpty
            ? "add it" : "video tracks: \(known.joined(separator: ", "))"))
    }
    findings += opacity.findings(at: "\(path).opacity") { value, path in
      (0...1).contains(value)
        ? nil
        : Finding(path: path, problem: "\(value) is no opacity", remedy: "give 0 to 1")
    }
    return findings + transform.findings(at: "\(path).transform")
      + crop.findings(at: "\(path).crop")
  }
}
