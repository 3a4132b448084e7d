import Timeline

extension ClipSequence {
  /// The sequence in the composition form.
  ///
  /// Clips alternate between two video tracks (ids 1 and 2). Their audio alternates between two audio tracks (ids 3 and
  /// 4) with cross-fades. Each music clip has an audio track of its own (ids from 5). Tracks without segments are
  /// omitted.
  ///
  /// - Parameter indexes: The media indexes by asset name, which is the clip's path or URL.
  /// - Throws: ``ProjectError`` with all problems that prevent expanding the sequence.
  public func expanded(indexes: [String: MediaIndex]) throws(ProjectError) -> Project {
    let (project, _, findings) = expansion(indexes: indexes, isWhole: true)
    guard let project, findings.isEmpty else { throw ProjectError(findings: findings) }
    return project
  }

  /// The sequence in the composition form, with all findings.
  ///
  /// - Parameter isWhole: Whether all clips and music could be read from the file.
  /// - Returns: The project, or `nil` if problems prevent placing the clips or the music; the origins of its segments;
  ///   and the findings.
  func expansion(
    indexes: [String: MediaIndex], isWhole: Bool
  ) -> (project: Project?, origins: SegmentOrigins, findings: [Finding]) {
    var findings = findings()
    let isSound =
      isWhole
      && formatFindings().isEmpty
      && !findings.contains {
        $0.path.isWithin("sequence") || $0.path.isWithin("music")
      }
    var expansion: Project?
    var origins = SegmentOrigins()
    var mediaFindings: [Finding] = []
    do throws(TimeError) {
      expansion = try project(
        isSound: isSound, indexes: export.indexes(indexes), origins: &origins,
        findings: &mediaFindings)
    } catch  where findings.isEmpty && mediaFindings.isEmpty {
      mediaFindings = ProjectError(timesAt: "sequence").findings
    } catch {
      // The other findings are more specific than an overflow.
    }
    findings.add(mediaFindings)
    return (expansion, origins, findings)
  }

  private func project(
    isSound: Bool, indexes: [String: MediaIndex], origins: inout SegmentOrigins,
    findings: inout [Finding]
  ) throws(TimeError) -> Project? {
    let layout = try SequenceLayout(
      self, isSound: isSound, indexes: indexes, findings: &findings)
    var tracks = Self.videoTracks(layout, origins: &origins)
    var parameters: [AudioMixInputParameters] = []
    let clipTracks = try audioTracks(layout, origins: &origins)
    for (track, mixed) in clipTracks {
      tracks.append(track)
      if !mixed.isDefault { parameters.append(mixed) }
    }
    for (number, clip) in music.enumerated() {
      let placed = try PlacedMusic(
        clip, at: "music[\(number)]", until: layout.duration,
        sampleRate: export.audio.sampleRate, index: indexes[clip.path], findings: &findings)
      guard let placed else { continue }
      let track = try placed.track(id: 5 + number)
      tracks.append(track)
      origins.add(track.segments.count, from: "music[\(number)]", to: track.id)
      let mixed = try placed.parameters(
        track: 5 + number, above: clipTracks.map(\.track.id).sorted())
      if !mixed.isDefault { parameters.append(mixed) }
    }
    guard layout.duration != nil, findings.isEmpty else { return nil }
    return Project(
      assets: assets, composition: Composition(tracks: tracks),
      videoComposition: try videoComposition(layout),
      audioMix: parameters.isEmpty ? nil : AudioMix(inputParameters: parameters), export: export)
  }

  /// The id of the video track for a clip, by the clip's index.
  private static func videoTrack(_ number: Int) -> Int { 1 + number % 2 }

  private static func videoTracks(
    _ layout: SequenceLayout, origins: inout SegmentOrigins
  ) -> [Track] {
    var tracks = [Track(id: 1, mediaType: .video), Track(id: 2, mediaType: .video)]
    for (number, placed) in layout.clips.enumerated() {
      let segments = placed.segments()
      tracks[number % 2].segments += segments
      origins.add(segments.count, from: placed.path, to: tracks[number % 2].id)
    }
    return tracks.filter { !$0.segments.isEmpty }
  }

  /// The audio tracks of the clips with their mix parameters: two tracks for clips that keep their pitch, and two more,
  /// with ids after those of the music, for clips that do not.
  private func audioTracks(
    _ layout: SequenceLayout, origins: inout SegmentOrigins
  ) throws(TimeError) -> [(track: Track, parameters: AudioMixInputParameters)] {
    let ids = [3, 4, 5 + music.count, 6 + music.count]
    var tracks = ids.map { Track(id: $0, mediaType: .audio) }
    var parameters = ids.enumerated().map { number, id in
      AudioMixInputParameters(
        track: id, audioTimePitchAlgorithm: number < 2 ? nil : .varispeed)
    }
    for (number, placed) in layout.clips.enumerated() where !placed.index.audio.isEmpty {
      let changesPitch = placed.clip.speed != .normal && placed.clip.pitch == .varispeed
      let place = number % 2 + (changesPitch ? 2 : 0)
      let segments = placed.segments()
      tracks[place].segments += segments
      origins.add(segments.count, from: placed.path, to: tracks[place].id)
      parameters[place].volume.pieces += try placed.volume(
        after: parameters[place].volume.finalValue ?? 1)
    }
    return zip(tracks, parameters).filter { !$0.0.segments.isEmpty }.map { ($0, $1) }
  }

  private func videoComposition(_ layout: SequenceLayout) throws(TimeError) -> VideoComposition {
    let shown = layout.clips.map { placed in
      let stream = placed.index.video[0]
      return OutputFormat.Shown(
        stream: stream, isStillImage: placed.index.isStillImage, picture: UprightPicture(stream))
    }
    let format = OutputFormat(
      streams: shown, asked: export.format(asked: askedFormat), preset: export.effectivePreset)
    let placements = layout.clips.enumerated().map { number, placed in
      ClipPlacement(
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
            backgroundColor: transition.kind.isColored ? transition.color : .black,
            layers: layers))
      }
      let alone = try placed.alone()
      guard alone.duration > .zero else { continue }
      instructions.append(
        Instruction(timeRange: alone, layers: [placements[number].layer(during: alone)]))
    }
    return VideoComposition(
      renderSize: format.renderSize, frameDuration: format.frameDuration,
      instructions: instructions,
      animation: layers(in: format.renderSize, until: layout.duration ?? .zero))
  }

  /// The animation and the titles in a frame.
  private func layers(in frame: PixelSize, until end: RationalTime) -> Animation? {
    var animation = animation
    if let written = relativeAnimation?.animation(in: frame) { animation = written }
    guard !titles.isEmpty else { return animation }
    let layers = titles.compactMap { $0.layer(in: frame, until: end) }
    return Animation(layers: (animation?.layers ?? []) + layers, track: animation?.track)
  }
}

extension ClipSequence {
  /// The render size and the frame rate that the sequence sets for its output.
  package var askedFormat: AskedFormat {
    AskedFormat(
      renderSize: renderSize, frameDuration: frameRate.flatMap { try? RationalTime(1) / $0 })
  }
}

extension AudioMixInputParameters {
  /// Whether the parameters have no effect.
  fileprivate var isDefault: Bool { self == AudioMixInputParameters(track: track) }
}

extension SequenceLayout.PlacedClip {
  /// The clip's path in the file.
  fileprivate var path: FindingPath { "sequence[\(item)]" }

  /// The segments of the clip's tracks.
  fileprivate func segments() -> [TrackSegment] {
    mappings.map {
      TrackSegment(asset: clip.path, trackIndex: 0, source: $0.source, target: $0.target)
    }
  }

  /// The time range in which no other clip plays.
  fileprivate func alone() throws(TimeError) -> TimeRange {
    try TimeRange(
      start: target.start + (incoming?.duration ?? .zero),
      end: target.end - (outgoing?.duration ?? .zero))
  }
}
