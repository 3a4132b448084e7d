extension ClipSequence {
  /// The sequence in the composition form.
  ///
  /// Clips alternate between two video tracks (ids 1 and 2), their sound between two audio tracks (ids 3 and 4) with
  /// cross-fades, and each piece of music has an audio track of its own (ids from 5). Tracks without segments are
  /// left out.
  ///
  /// - Parameter indexes: the media indexes by asset name, which is the clip's path.
  /// - Throws: ``ProjectError`` with everything that keeps the sequence from being expanded.
  public func expanded(indexes: [String: MediaIndex]) throws(ProjectError) -> Project {
    var findings = findings()
    let expansion: Project?
    do throws(TimeError) {
      expansion = try project(indexes: indexes, findings: &findings)
    } catch {
      throw ProjectError(timesAt: "sequence")
    }
    guard let expansion, findings.isEmpty else { throw ProjectError(findings: findings) }
    return expansion
  }

  private func project(indexes: [String: MediaIndex], findings: inout [Finding])
    throws(TimeError) -> Project?
  {
    var layoutFindings: [Finding] = []
    let layout = try SequenceLayout(self, indexes: indexes, findings: &layoutFindings)
    if findings.isEmpty { findings += layoutFindings }
    var tracks = Self.videoTracks(layout)
    var parameters: [AudioMixInputParameters] = []
    for (track, volume) in try Self.audioTracks(layout) {
      tracks.append(track)
      if !volume.pieces.isEmpty {
        parameters.append(AudioMixInputParameters(track: track.id, volume: volume))
      }
    }
    for (number, clip) in music.enumerated() {
      let placed = try PlacedMusic(
        clip, at: "music[\(number)]", until: layout.duration,
        sampleRate: export.audio.sampleRate, index: indexes[clip.path], findings: &findings)
      guard let placed else { continue }
      tracks.append(try placed.track(id: 5 + number))
      let volume = try placed.volume()
      if !volume.pieces.isEmpty {
        parameters.append(AudioMixInputParameters(track: 5 + number, volume: volume))
      }
    }
    guard findings.isEmpty else { return nil }
    return Project(
      assets: assets, composition: Composition(tracks: tracks),
      videoComposition: try videoComposition(layout),
      audioMix: parameters.isEmpty ? nil : AudioMix(inputParameters: parameters), export: export)
  }

  /// The id of the video track of the clip with a number.
  private static func videoTrack(_ number: Int) -> Int { 1 + number % 2 }

  private static func videoTracks(_ layout: SequenceLayout) -> [Track] {
    var tracks = [Track(id: 1, mediaType: .video), Track(id: 2, mediaType: .video)]
    for (number, placed) in layout.clips.enumerated() {
      tracks[number % 2].segments.append(
        TrackSegment(
          asset: placed.clip.path, trackIndex: 0, source: placed.source, target: placed.target))
    }
    return tracks.filter { !$0.segments.isEmpty }
  }

  /// The clips' sound, with its volume.
  private static func audioTracks(_ layout: SequenceLayout) throws(TimeError)
    -> [(Track, Ramps<Double>)]
  {
    var tracks = [Track(id: 3, mediaType: .audio), Track(id: 4, mediaType: .audio)]
    var volumes = [Ramps<Double>(), Ramps<Double>()]
    for (number, placed) in layout.clips.enumerated() where !placed.index.audio.isEmpty {
      tracks[number % 2].segments.append(
        TrackSegment(
          asset: placed.clip.path, trackIndex: 0, source: placed.source, target: placed.target))
      volumes[number % 2].pieces += try placed.volume(after: volumes[number % 2].finalValue ?? 1)
    }
    return zip(tracks, volumes).filter { !$0.0.segments.isEmpty }
  }

  private func videoComposition(_ layout: SequenceLayout) throws(TimeError) -> VideoComposition {
    let shown = layout.clips.map { placed in
      let stream = placed.index.video[0]
      return OutputFormat.Shown(
        stream: stream, isStillImage: placed.index.isStillImage, picture: UprightPicture(stream))
    }
    let format = OutputFormat(streams: shown, preset: export.effectivePreset)
    let placements = layout.clips.enumerated().map { number, placed in
      Placement(
        of: shown[number].picture, onTrack: Self.videoTrack(number), in: format.renderSize,
        fit: placed.clip.fit ?? fit)
    }
    var instructions: [Instruction] = []
    for (number, placed) in layout.clips.enumerated() {
      if let transition = placed.incoming {
        let range = try TimeRange(start: placed.target.start, duration: transition.duration)
        let layers = try transition.layers(
          from: placements[number - 1], to: placements[number], during: range,
          renderSize: format.renderSize)
        instructions.append(
          Instruction(
            timeRange: range,
            backgroundColor: transition.kind.isColoured ? transition.colour : .black,
            layers: layers))
      }
      let alone = try placed.alone()
      guard alone.duration > .zero else { continue }
      instructions.append(
        Instruction(timeRange: alone, layers: [placements[number].layer(during: alone)]))
    }
    return VideoComposition(
      renderSize: format.renderSize, frameDuration: format.frameDuration,
      instructions: instructions)
  }
}

extension SequenceLayout.PlacedClip {
  /// When no other clip plays.
  fileprivate func alone() throws(TimeError) -> TimeRange {
    try TimeRange(
      start: target.start + (incoming?.duration ?? .zero),
      end: target.end - (outgoing?.duration ?? .zero))
  }
}
