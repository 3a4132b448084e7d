import Timeline

extension Composition {
  /// The problems of the tracks that can be found without media.
  func findings(assets: [String: Asset]) -> [Finding] {
    var findings: [Finding] = []
    var firstIndexes: [Int: Int] = [:]
    for (index, track) in tracks.enumerated() {
      let path: FindingPath = "composition.tracks[\(index)]"
      if track.id < 1 {
        findings.append(
          Finding(
            path: "\(path).id", problem: "\(track.id) is not a valid track id",
            remedy: "use a number greater than 0"))
      }
      if let first = firstIndexes[track.id] {
        findings.append(
          Finding(
            path: "\(path).id", problem: "tracks[\(first)] also has the id \(track.id)",
            remedy: "use a different id for each track"))
      } else {
        firstIndexes[track.id] = index
      }
      findings += track.findings(at: path, assets: assets)
    }
    if let naturalSize { findings += naturalSize.findings(at: "composition.naturalSize") }
    // A composition that has only sound is exported as an audio-only file.
    if tracks.allSatisfy(\.segments.isEmpty) {
      findings.append(
        Finding(
          path: "composition.tracks", problem: "no video track has a segment",
          remedy: "add a video track with a segment"))
    }
    return findings
  }
}

extension Track {
  fileprivate func findings(at path: FindingPath, assets: [String: Asset]) -> [Finding] {
    var findings = preferredTransformFindings(at: "\(path).preferredTransform")
    for (index, segment) in segments.enumerated() {
      let path: FindingPath = "\(path).segments[\(index)]"
      findings += segment.findings(at: path, assets: assets)
      guard index > 0, segment.target.start < segments[index - 1].target.end else { continue }
      let before = segments[index - 1].target
      findings.append(
        Finding(
          path: "\(path).target",
          problem: segment.target.overlaps(before)
            ? "\(segment.target.shown) overlaps the previous segment, \(before.shown)"
            : "\(segment.target.shown) is listed after \(before.shown), which is later",
          remedy: "list the segments of a track in chronological order, without overlaps"))
    }
    return findings
  }
}

extension Track {
  private func preferredTransformFindings(at path: FindingPath) -> [Finding] {
    guard let preferredTransform else { return [] }
    guard mediaType == .video else {
      return [
        Finding(
          path: path, problem: "an audio track cannot have a transform", remedy: "remove it")
      ]
    }
    if let number = preferredTransform.numbers.first(where: {
      !RenderLimits.coordinates.contains($0)
    }) {
      return [RenderLimits.coordinateFinding(number, at: path)]
    }
    let area =
      preferredTransform.a * preferredTransform.d - preferredTransform.b * preferredTransform.c
    guard abs(area) < 1e-6 else { return [] }
    return [
      Finding(
        path: path, problem: "\(preferredTransform.numbers) reduces pictures to a line or a point",
        remedy: "use an invertible transform")
    ]
  }
}

extension NaturalSize {
  fileprivate func findings(at path: FindingPath) -> [Finding] {
    [("width", width), ("height", height)].compactMap { side, pixels in
      let (least, most) = (RenderLimits.sides.lowerBound, RenderLimits.sides.upperBound)
      guard !(Double(least)...Double(most)).contains(pixels) else { return nil }
      return Finding(
        path: "\(path).\(side)", problem: "\(pixels) pixels cannot be rendered",
        remedy: "use a number from \(least) to \(most)")
    }
  }
}

extension TrackSegment {
  fileprivate func findings(at path: FindingPath, assets: [String: Asset]) -> [Finding] {
    var findings: [Finding] = []
    if assets[asset] == nil {
      findings.append(.unknownAsset(asset, at: "\(path).asset", assets: assets.keys))
    }
    if trackIndex < 0 {
      findings.append(
        Finding(
          path: "\(path).trackIndex", problem: "\(trackIndex) is negative",
          remedy: "count the asset's streams from 0"))
    }
    findings += source.findings(at: "\(path).source") + target.findings(at: "\(path).target")
    if changesSpeed, source.duration > .zero, target.duration > .zero {
      findings += speedFindings(at: "\(path).target.duration")
    }
    return findings
  }

  private func speedFindings(at path: FindingPath) -> [Finding] {
    let shown = "\(source.duration) s played in \(target.duration) s"
    do throws(TimeError) {
      return [RenderLimits.speedFinding(try speed, shown: shown, at: path)].compactMap(\.self)
    } catch {
      return [
        Finding(
          path: path, problem: "the speed (\(shown)) does not fit in a 64-bit fraction",
          remedy: "use simpler times")
      ]
    }
  }
}
