import Timeline

extension VideoComposition {
  /// The problems of the instructions for a composition, and of the output's size and frame rate.
  func findings(
    composition: Composition, assets: [String: Asset], preset: ExportPreset
  ) -> [Finding] {
    let path: FindingPath = "videoComposition"
    var findings = renderSize.findings(at: "\(path).renderSize")
    findings += fitted(into: preset).renderScaleFindings()
    findings += frameCountFindings(duration: composition.duration)
    findings += coverageFindings(
      of: Array(instructions.enumerated()), duration: composition.duration, during: nil
    ).map(\.finding)
    for (index, instruction) in instructions.enumerated() {
      for (layerIndex, layer) in instruction.layers.enumerated() {
        findings += layer.findings(
          at: "\(path).instructions[\(index)].layers[\(layerIndex)]", composition: composition,
          assets: assets, animationTrack: animation?.track)
      }
    }
    return findings + animationFindings(composition: composition, assets: assets)
  }

  private func animationFindings(composition: Composition, assets: [String: Asset]) -> [Finding] {
    guard let animation else { return [] }
    var findings = animation.findings(
      at: "videoComposition.animation", assets: Set(assets.keys), frameDuration: frameDuration)
    guard let track = animation.track else { return findings }
    let path: FindingPath = "videoComposition.animation.track"
    if composition.track(track) != nil {
      findings.append(
        Finding(
          path: path, problem: "the composition already has a track with the id \(track)",
          remedy: "use a different id"))
    } else if track < 1 {
      findings.append(
        Finding(
          path: path, problem: "\(track) is not a valid track id",
          remedy: "use a number greater than 0"))
    }
    return findings
  }

  /// The findings for a scale that makes the output too small or too large to render.
  func renderScaleFindings() -> [Finding] {
    guard renderScale != 1 else { return [] }
    let path: FindingPath = "videoComposition.renderScale"
    guard renderScale.isFinite, renderScale > 0 else {
      return [
        Finding(
          path: path, problem: "\(renderScale) is not a valid scale",
          remedy: "use a number greater than 0")
      ]
    }
    let (size, sides) = (outputSize, RenderLimits.sides)
    guard !sides.contains(size.width) || !sides.contains(size.height) else { return [] }
    return [
      Finding(
        path: path,
        problem: "\(renderSize) times \(renderScale) is \(size), which cannot be rendered",
        remedy: "keep both sides from \(sides.lowerBound) to \(sides.upperBound)")
    ]
  }

  /// The findings for a frame duration out of range.
  func frameDurationFindings() -> [Finding] {
    let (shortest, longest) = RenderLimits.frameDurations
    guard frameDuration >= shortest, frameDuration <= longest,
      frameDuration.denominator <= Int32.max, frameDuration.numerator <= Int32.max
    else {
      return [
        Finding(
          path: "videoComposition.frameDuration",
          problem: "\(frameDuration) s is not a valid frame duration",
          remedy: "use a fraction such as \"1/30\" from \(shortest) to \(longest)")
      ]
    }
    return []
  }

  private func frameCountFindings(duration: RationalTime) -> [Finding] {
    let findings = frameDurationFindings()
    guard findings.isEmpty else { return findings }
    if let frames = try? duration.ticks(of: frameDuration, rounding: .up),
      frames <= RenderLimits.frameCount
    {
      return []
    }
    return [
      Finding(
        path: "videoComposition.frameDuration",
        problem: "\(duration) s is too long for frames of \(frameDuration) s",
        remedy: "render at most \(RenderLimits.frameCount) frames")
    ]
  }
}

extension LayerInstruction {
  /// The finding for a track that does not exist or is not a video track.
  func trackFinding(at path: FindingPath, composition: Composition, animationTrack: Int? = nil)
    -> Finding?
  {
    switch composition.track(track)?.mediaType {
    case .video: return nil
    case nil where track == animationTrack: return nil
    case .audio:
      return Finding(
        path: "\(path).track", problem: "track \(track) is an audio track",
        remedy: "use the id of a video track")
    case nil:
      let known = composition.tracks.filter { $0.mediaType == .video }.map { "\($0.id)" }
      return Finding(
        path: "\(path).track", problem: "there is no track \(track)",
        remedy: known.isEmpty ? "add it" : "video tracks: \(known.joined(separator: ", "))")
    }
  }

  fileprivate func findings(
    at path: FindingPath, composition: Composition, assets: [String: Asset], animationTrack: Int?
  ) -> [Finding] {
    var findings = [
      trackFinding(at: path, composition: composition, animationTrack: animationTrack)
    ].compactMap(\.self)
    findings += backdrop?.findings(at: "\(path).backdrop") ?? []
    findings += mask?.findings(at: "\(path).mask", assets: assets) ?? []
    if track == animationTrack, composition.track(track) == nil {
      for (key, isThere) in [("backdrop", backdrop != nil), ("mask", mask != nil)] where isThere {
        findings.append(
          .unsupported(
            "\(path).\(key)", "a \(key) on an animation track", remedy: "remove it"))
      }
    }
    findings += opacity.findings(at: "\(path).opacity") { value, path in
      (0...1).contains(value)
        ? nil
        : Finding(
          path: path, problem: "\(value) is out of range", remedy: "use a value from 0 to 1")
    }
    return findings + transform.findings(at: "\(path).transform")
      + crop.findings(at: "\(path).crop")
  }
}
