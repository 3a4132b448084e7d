import Timeline

extension Project {
  /// All problems that can be found without media, in file order.
  public func findings() -> [Finding] {
    var findings = composition.findings(assets: assets)
    if let videoComposition {
      findings += videoComposition.findings(
        composition: composition, assets: assets, preset: export.effectivePreset)
    }
    if let audioMix { findings += audioMix.findings(composition: composition) }
    return findings + lengthFindings() + export.findings() + exportFindings()
  }

  /// The problems of a composition, or of stretched sound, that is too long.
  private func lengthFindings() -> [Finding] {
    var findings: [Finding] = []
    let duration = composition.duration
    if duration > RenderLimits.longest {
      findings.append(
        Finding(
          path: "composition", problem: "a composition of \(duration) s is too long",
          remedy: "end at \(RenderLimits.longest) s or earlier"))
    }
    let rate = export.audio.sampleRate
    guard let longest = try? RationalTime(RenderLimits.stretchedSamples, Int64(rate)) else {
      return findings
    }
    for (number, track) in composition.tracks.enumerated() where track.mediaType == .audio {
      let parameters = audioMix?.inputParameters.first { $0.track == track.id }
      guard parameters?.audioTimePitchAlgorithm != .varispeed else { continue }
      for run in track.runs where run.contains(where: \.changesSpeed) {
        guard let first = run.first, let last = run.last,
          let source = try? last.source.end - first.source.start,
          let target = try? last.target.end - first.target.start,
          max(source, target) > longest
        else { continue }
        findings.append(
          Finding(
            path: "composition.tracks[\(number)].segments[\(run.startIndex)].target",
            problem: "\(source) s of sound played in \(target) s is too long to keep its pitch at"
              + " \(rate) Hz",
            remedy: "keep both under \(RenderLimits.stretchedSamples / Int64(max(rate, 1))) s, or"
              + " use \"varispeed\""))
      }
    }
    return findings
  }

  /// Whether the file has video: false if it is audio-only, or if the project has nothing to show.
  public var exportsPictures: Bool {
    guard !export.isAudioOnly else { return false }
    return videoComposition != nil
      || composition.tracks.contains { $0.mediaType == .video && !$0.segments.isEmpty }
  }

  /// The conflicts between the composition and the export settings.
  private func exportFindings() -> [Finding] {
    var findings: [Finding] = []
    if export.isAudioOnly,
      !composition.tracks.contains(where: { $0.mediaType == .audio && !$0.segments.isEmpty })
    {
      findings.append(
        Finding(
          path: "export", problem: "there is no audio to export",
          remedy: "add an audio track, or choose a preset and a file type with video"))
    }
    let duration = composition.duration
    if let range = export.timeRange, range.start >= .zero, range.duration > .zero,
      range.end > duration
    {
      findings.append(
        Finding(
          path: "export.timeRange",
          problem: "\(range.shown) extends beyond the end of the composition, \(duration)",
          remedy: "end at \(duration) or earlier"))
    }
    return findings
  }

  /// All problems that can be found with the media indexes.
  ///
  /// - Parameter indexes: The media indexes by asset name. An asset without one is a finding.
  public func findings(indexes: [String: MediaIndex]) -> [Finding] {
    var findings = findings()
    for (trackNumber, track) in composition.tracks.enumerated() {
      for (number, segment) in track.segments.enumerated() where assets[segment.asset] != nil {
        findings += segment.findings(
          at: "composition.tracks[\(trackNumber)].segments[\(number)]",
          mediaType: track.mediaType, index: indexes[segment.asset],
          onDamage: export.onDamage ?? .fail)
      }
    }
    return findings + mapFindings(indexes: indexes)
  }

  /// The assets that masks of the video composition use as maps, each once, in file order.
  package var maps: [String] {
    var names: [String] = []
    for instruction in videoComposition?.instructions ?? [] {
      for layer in instruction.layers {
        if let name = layer.mask?.asset, !names.contains(name) { names.append(name) }
      }
    }
    return names
  }

  private func mapFindings(indexes: [String: MediaIndex]) -> [Finding] {
    var findings: [Finding] = []
    for (number, instruction) in (videoComposition?.instructions ?? []).enumerated() {
      for (layerNumber, layer) in instruction.layers.enumerated() {
        guard let name = layer.mask?.asset, assets[name] != nil else { continue }
        let path: FindingPath =
          "videoComposition.instructions[\(number)].layers[\(layerNumber)].mask.map"
        findings +=
          indexes[name]?.mapFindings(named: name, at: path) ?? [.notRead(name, at: path)]
      }
    }
    return findings
  }
}

extension TrackSegment {
  /// The problems of the segment with its asset's media.
  fileprivate func findings(
    at path: FindingPath, mediaType: MediaType, index: MediaIndex?, onDamage: DamagePolicy
  ) -> [Finding] {
    guard let index else { return [.notRead(asset, at: "\(path).asset")] }
    let streams = mediaType == .video ? index.video.count : index.audio.count
    var findings: [Finding] = []
    if trackIndex >= streams {
      findings.append(
        Finding(
          path: "\(path).trackIndex",
          problem: streams == 0
            ? "the asset \"\(asset)\" has no \(mediaType.rawValue) stream"
            : "the asset \"\(asset)\" has no \(mediaType.rawValue) stream \(trackIndex)",
          remedy: streams == 0
            ? "use an asset that has one"
            : streams == 1 ? "use 0" : "use a number from 0 to \(streams - 1)"))
    } else if mediaType == .video, trackIndex >= 0, index.video[trackIndex].frames.times.isEmpty {
      findings.append(
        Finding(
          path: "\(path).trackIndex",
          problem: "video stream \(trackIndex) of the asset \"\(asset)\" has no frames",
          remedy: "use an asset that has frames"))
    } else if mediaType == .video, trackIndex >= 0,
      let tag = index.video[trackIndex].color.unsupported
    {
      findings.append(
        Finding(
          path: "\(path).asset",
          problem:
            "the asset \"\(asset)\" has the color \(tag.key) \"\(tag.value)\", which is not supported yet",
          remedy: "convert it to BT.709, BT.2020, HLG or PQ"))
    }
    if (0..<streams).contains(trackIndex), findings.isEmpty {
      findings += damageFindings(at: path, mediaType: mediaType, index: index, onDamage: onDamage)
    }
    if !index.isStillImage, source.end > index.duration,
      source.end > (try? index.lastEnd()) ?? index.duration
    {
      findings.append(
        Finding(
          path: "\(path).source",
          problem:
            "\(source.shown) extends beyond the end of the asset \"\(asset)\", \(index.duration)",
          remedy: "end at \(index.duration) or earlier"))
    }
    return findings
  }
}

extension AudioMix {
  fileprivate func findings(composition: Composition) -> [Finding] {
    var findings: [Finding] = []
    var seen: Set<Int> = []
    for (index, parameters) in inputParameters.enumerated() {
      let path: FindingPath = "audioMix.inputParameters[\(index)]"
      let track = parameters.track
      if composition.track(track)?.mediaType != .audio {
        findings.append(
          Finding(
            path: "\(path).track",
            problem: composition.track(track) == nil
              ? "there is no track \(track)" : "track \(track) is a video track",
            remedy: "use the id of an audio track"))
      }
      if !seen.insert(track).inserted {
        findings.append(
          Finding(
            path: "\(path).track", problem: "track \(track) already has parameters",
            remedy: "keep one entry per track"))
      }
      findings += parameters.volume.findings(
        at: "\(path).volume", value: RenderLimits.volumeFinding)
      if let duck = parameters.duck {
        findings += duck.findings(at: "\(path).duck")
        findings += duck.findings(ofTrack: track, in: composition, at: "\(path).duck")
      }
    }
    return findings
  }
}
