/// A piece of music where it plays.
struct PlacedMusic {
  /// The most times that a loop plays: a plan holds each of them.
  private static let repeatLimit: Int64 = 100_000

  private let clip: MusicClip
  /// The start of the range in the asset.
  private let sourceStart: RationalTime
  /// The duration of one playback of the range, in seconds of the output.
  private let time: RationalTime
  private let target: TimeRange

  /// Places music, cut at the end of the video; `nil` if a finding says why it cannot be.
  ///
  /// - Parameters:
  ///   - end: when the video ends; `nil` if that is not known, and nothing is placed.
  ///   - sampleRate: the output's samples a second, of which a loop is a whole number long.
  init?(
    _ clip: MusicClip, at path: String, until end: RationalTime?, sampleRate: Int,
    index: MediaIndex?, findings: inout [Finding]
  ) throws(TimeError) {
    guard let index else {
      findings.append(.notRead(clip.path, at: "\(path).clip"))
      return nil
    }
    guard !index.audio.isEmpty else {
      findings.append(
        Finding(
          path: "\(path).clip", problem: "\"\(clip.path)\" has no sound",
          remedy: "name a file with sound"))
      return nil
    }
    // A speed that cannot be played has its own finding.
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
    // Without a video there is no end to cut at; that has its own findings.
    guard let end else { return nil }
    guard clip.start < end else {
      findings.append(
        Finding(
          path: "\(path).start", problem: "\(clip.start) s is not before the video's end, \(end) s",
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
          problem: "the fades take \(fades) s of \(length) s of music",
          remedy: "shorten them by \(missing) s"))
      return nil
    }
    self.clip = clip
    time = min(played, room)
    sourceStart = start
    target = try TimeRange(start: clip.start, duration: length)
  }

  /// The length of a loop in the output, in whole samples, so that each time is as long as every other and the same
  /// samples play; `nil` if a finding says why it cannot fill the room.
  private static func loop(
    _ length: RationalTime, filling room: RationalTime, of clip: MusicClip, at path: String,
    sampleRate: Int, findings: inout [Finding]
  ) throws(TimeError) -> RationalTime? {
    let sample = try RationalTime(1, Int64(max(sampleRate, 1)))
    let whole = try sample * length.ticks(of: sample)
    guard whole > .zero, try room.ticks(of: whole, rounding: .up) <= repeatLimit else {
      findings.append(
        Finding(
          path: "\(path).loop",
          problem: "\(length) s of \"\(clip.path)\" are too short to fill \(room) s",
          remedy: "loop a part that fits in at most \(repeatLimit) times"))
      return nil
    }
    return whole
  }

  /// Its own audio track.
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

  /// How the track is mixed, above the clips' tracks.
  func parameters(track: Int, above clips: [Int]) throws(TimeError) -> AudioMixInputParameters {
    var duck = clips.isEmpty ? nil : clip.duck
    duck?.under = clips
    let changesPitch = clip.speed != RationalTime(1) && clip.pitch == .varispeed
    return AudioMixInputParameters(
      track: track, volume: try volume(),
      audioTimePitchAlgorithm: changesPitch ? .varispeed : nil, duck: duck)
  }

  /// The track's volume: a step, between the fades.
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
  /// The end of the first audio stream, in the asset's time. It is before the asset's end if the pictures continue
  /// longer.
  fileprivate func endOfSound() throws(TimeError) -> RationalTime {
    guard let stream = audio.first else { return duration }
    return min(try stream.timeBase * stream.end - start, duration)
  }
}
