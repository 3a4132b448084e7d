import Timeline

/// A music clip with its place in the output.
struct PlacedMusic {
  /// The maximum number of repetitions of a loop. A plan contains each of them.
  private static let repeatLimit: Int64 = 100_000

  private let clip: MusicClip
  /// The start of the range in the asset.
  private let sourceStart: RationalTime
  /// The duration of one playback of the range, in seconds of the output.
  private let time: RationalTime
  private let target: TimeRange

  /// Places music and cuts it off at the end of the video. Returns `nil` if a finding states why that is impossible.
  ///
  /// - Parameters:
  ///   - end: The end of the video. If it is unknown (`nil`), nothing is placed.
  ///   - sampleRate: The output's sample rate. A loop is a whole number of samples long.
  init?(
    _ clip: MusicClip, at path: FindingPath, until end: RationalTime?, sampleRate: Int,
    index: MediaIndex?, findings: inout [Finding]
  ) throws(TimeError) {
    guard let index else {
      findings.append(.notRead(clip.path, at: "\(path).clip"))
      return nil
    }
    guard !index.audio.isEmpty else {
      findings.append(
        Finding(
          path: "\(path).clip", problem: "\"\(clip.path)\" has no audio",
          remedy: "use a file with audio"))
      return nil
    }
    // An invalid speed has its own finding.
    guard RenderLimits.speedFinding(clip.speed, at: path) == nil else { return nil }
    let start = clip.inPoint ?? .zero
    let wholeEnd = clip.loops ? try index.endOfSound() : index.duration
    let wanted = clip.outPoint ?? wholeEnd
    guard wanted <= index.duration, start < wanted else {
      let (key, available) =
        clip.outPoint == nil ? ("in", wholeEnd) : ("out", index.duration)
      findings.append(
        .beyond(available, of: clip.path, wanted: max(start, wanted), at: "\(path).\(key)"))
      return nil
    }
    // If the end of the video is unknown, other findings state why.
    guard let end else { return nil }
    guard clip.start < end else {
      findings.append(
        Finding(
          path: "\(path).start",
          problem: "\(clip.start) s is not before the end of the video, \(end.shortDecimal()) s",
          remedy: "start earlier"))
      return nil
    }
    let room = try end - clip.start
    let played =
      clip.loops
      ? try Self.loop(
        try (wanted - start) / clip.speed, filling: room, of: clip, at: path,
        sampleRate: sampleRate, findings: &findings)
      : try (wanted - start) / clip.speed
    guard let played else { return nil }
    let length = clip.loops ? room : min(played, room)
    let fades = try clip.fadeIn + clip.fadeOut
    guard fades <= length else {
      let missing = try fades - length
      findings.append(
        Finding(
          path: "\(path).fadeOut",
          problem: "the fades take \(fades.shortDecimal(roundedUp: true)) s, but the music plays "
            + "for only \(length.shortDecimal()) s",
          remedy: "shorten them by \(missing.shortDecimal(roundedUp: true)) s"))
      return nil
    }
    self.clip = clip
    time = min(played, room)
    sourceStart = start
    target = try TimeRange(start: clip.start, duration: length)
  }

  /// The length of a loop in the output. It is a whole number of samples, so that all repetitions are equally long and
  /// play the same samples. Returns `nil` if a finding states why the loop cannot fill the room.
  private static func loop(
    _ length: RationalTime, filling room: RationalTime, of clip: MusicClip, at path: FindingPath,
    sampleRate: Int, findings: inout [Finding]
  ) throws(TimeError) -> RationalTime? {
    let sample = try RationalTime(1, Int64(max(sampleRate, 1)))
    let whole = try sample * length.ticks(of: sample)
    guard whole > .zero, try room.ticks(of: whole, rounding: .up) <= repeatLimit else {
      findings.append(
        Finding(
          path: "\(path).loop",
          problem: "\(length) s of \"\(clip.path)\" is too short to fill \(room) s",
          remedy: "loop a longer part: it may repeat at most \(repeatLimit) times"))
      return nil
    }
    return whole
  }

  /// The audio track that plays only this music.
  func track(id: Int) throws(TimeError) -> Track {
    var segments: [TrackSegment] = []
    var start = target.start
    while start < target.end {
      let length = min(time, try target.end - start)
      segments.append(
        TrackSegment(
          asset: clip.path, trackIndex: 0,
          source: try TimeRange(start: sourceStart, duration: length * clip.speed),
          target: try TimeRange(start: start, duration: length)))
      start = try start + length
    }
    return Track(id: id, mediaType: .audio, segments: segments)
  }

  /// The mix parameters of the track.
  ///
  /// - Parameter clips: The clips' audio tracks, under which the music is ducked.
  func parameters(track: Int, above clips: [Int]) throws(TimeError) -> AudioMixInputParameters {
    var duck = clips.isEmpty ? nil : clip.duck
    duck?.under = clips
    let changesPitch = clip.speed != RationalTime(1) && clip.pitch == .varispeed
    return AudioMixInputParameters(
      track: track, volume: try volume(),
      audioTimePitchAlgorithm: changesPitch ? .varispeed : nil, duck: duck)
  }

  /// The track's volume: a constant between the fades.
  private func volume() throws(TimeError) -> Ramps<Double> {
    var pieces: [Ramps<Double>.Piece] = []
    if clip.fadeIn > .zero {
      pieces.append(
        .ramp(
          timeRange: try TimeRange(start: target.start, duration: clip.fadeIn), from: 0,
          to: clip.volume))
    } else if clip.volume != 1 {
      pieces.append(.step(at: target.start, value: clip.volume))
    }
    if clip.fadeOut > .zero {
      pieces.append(
        .ramp(
          timeRange: try TimeRange(start: target.end - clip.fadeOut, end: target.end),
          from: clip.volume, to: 0))
    }
    return Ramps(pieces)
  }
}

extension MediaIndex {
  /// The end of the first audio stream, in the asset's time. It is before the asset's end if the video is longer.
  fileprivate func endOfSound() throws(TimeError) -> RationalTime {
    guard let stream = audio.first else { return duration }
    return min(try stream.timeBase * stream.end - start, duration)
  }
}
