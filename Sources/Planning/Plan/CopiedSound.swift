import Timeline

/// A part of one audio stream that is copied as a file's entire sound.
public struct CopiedSound: Hashable, Codable, Sendable {
  /// The index of the stream in ``MixDescription/sources``.
  public var source: Int
  /// The stream's sample at which the file begins, at the stream's own rate, counted from the asset's time zero.
  public var firstSample: Int64
  /// The file's length in samples at that rate; the stream may end earlier.
  public var sampleCount: Int64
  /// Whether the file has an edit list, which hides what comes before its first sample. Without one, only the encoder's
  /// own delay may come before it.
  public var hasEditList: Bool

  /// Creates a part of a stream.
  public init(source: Int, firstSample: Int64, sampleCount: Int64, hasEditList: Bool = true) {
    self.source = source
    self.firstSample = firstSample
    self.sampleCount = sampleCount
    self.hasEditList = hasEditList
  }
}

extension CopiedSound {
  /// The sound of a project between two instants, if it is a single stream at its own speed and volume, in a codec that
  /// the file can hold. Returns `nil` otherwise.
  init?(
    of project: Project, from start: RationalTime, to end: RationalTime, sources: [AudioSource],
    indexes: [String: MediaIndex]
  ) throws(TimeError) {
    let heard = project.composition.tracks.filter { track in
      track.mediaType == .audio
        && track.segments.contains { $0.target.start < end && $0.target.end > start }
    }
    // A partial last frame extends beyond the composition's end.
    let last = min(end, project.composition.duration)
    guard heard.count == 1, let track = heard.first,
      let run = track.runs.first(where: { run in
        run.first.map { $0.target.start <= start } == true
          && run.last.map { $0.target.end >= last } == true
      }), !run.contains(where: \.changesSpeed), let segment = run.first,
      let stream = indexes[segment.asset]?.audio[segment.trackIndex],
      let number = sources.firstIndex(where: { $0.name == segment.asset && $0.stream == stream })
    else { return nil }
    let source = sources[number]
    guard source.stream.damage == nil, Self.isUnchanged(track, of: project, from: start, to: end),
      let codec = AudioSettings.Codec(of: source.stream),
      project.export.fileType.audioCodecs.contains(codec)
    else { return nil }
    let sample = try RationalTime(1, Int64(source.stream.sampleRate))
    let shift = try segment.source.start - segment.target.start
    let first = try (start + shift).ticks(of: sample, rounding: .nearest)
    let streamStart = try (source.stream.timeBase * source.stream.start - source.start).ticks(
      of: sample, rounding: .nearest)
    let hasEditList = !project.export.fileType.isMatroska
    guard hasEditList || first <= streamStart else { return nil }
    self.init(
      source: number, firstSample: first,
      sampleCount: try (end + shift).ticks(of: sample, rounding: .nearest) - first,
      hasEditList: hasEditList)
  }

  private static func isUnchanged(
    _ track: Track, of project: Project, from start: RationalTime, to end: RationalTime
  ) -> Bool {
    guard let parameters = project.audioMix?.inputParameters.first(where: { $0.track == track.id })
    else { return true }
    return parameters.duck == nil
      && parameters.volume.restricted(from: start, to: end).pieces.allSatisfy { piece in
        switch piece {
        case .step(_, let value): value == 1
        case .ramp(_, let from, let to, _): from == 1 && to == 1
        }
      }
  }
}

extension AudioSettings.Codec {
  /// Creates the codec of a stream; `nil` if output files cannot use it.
  fileprivate init?(of stream: AudioStream) {
    let samples = ["pcm_s16le", "pcm_s16be", "pcm_s24le", "pcm_s24be", "pcm_f32le"]
    self.init(rawValue: samples.contains(stream.codec) ? Self.pcm.rawValue : stream.codec)
  }
}
