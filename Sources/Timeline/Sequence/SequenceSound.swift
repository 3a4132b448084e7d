extension SequenceLayout.PlacedClip {
  /// The steps and ramps of the clip's sound on its track, where `held` is in force before it.
  func volume(after held: Double) throws(TimeError) -> [Ramps<Double>.Piece] {
    var pieces: [Ramps<Double>.Piece] = []
    if let incoming {
      pieces.append(
        .ramp(
          timeRange: try TimeRange(start: target.start, duration: incoming.duration), from: 0,
          to: clip.volume, timingFunction: incoming.audio.rise))
    } else if clip.volume != held {
      pieces.append(.step(at: target.start, value: clip.volume))
    }
    if let outgoing {
      pieces.append(
        .ramp(
          timeRange: try TimeRange(start: target.end - outgoing.duration, end: target.end),
          from: clip.volume, to: 0, timingFunction: outgoing.audio.fall))
    }
    return pieces
  }
}

extension SequenceTransition.CrossFade {
  /// The course of the gain that rises from 0.
  fileprivate var rise: TimingFunction { self == .linear ? .linear : .equalPowerRise }
  /// The course of the gain that falls to 0.
  fileprivate var fall: TimingFunction { self == .linear ? .linear : .equalPowerFall }
}

/// A piece of music where it plays.
struct PlacedMusic {
  private let clip: MusicClip
  private let source: TimeRange
  private let target: TimeRange

  /// Places music, cut at the end of the video; `nil` where a finding says why it cannot be.
  init?(
    _ clip: MusicClip, at path: String, until end: RationalTime, index: MediaIndex?,
    findings: inout [Finding]
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
    let start = clip.inPoint ?? .zero
    let wanted = clip.outPoint ?? index.duration
    guard wanted <= index.duration, start < wanted else {
      let key = clip.outPoint == nil ? "in" : "out"
      findings.append(
        .beyond(index.duration, of: clip.path, wanted: max(start, wanted), at: "\(path).\(key)"))
      return nil
    }
    // Without a video there is no end to cut at; that has its own findings.
    guard findings.isEmpty else { return nil }
    guard clip.start < end else {
      findings.append(
        Finding(
          path: "\(path).start", problem: "\(clip.start) s is not before the video's end, \(end) s",
          remedy: "start earlier"))
      return nil
    }
    let length = min(try wanted - start, try end - clip.start)
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
    source = try TimeRange(start: start, duration: length)
    target = try TimeRange(start: clip.start, duration: length)
  }

  /// The audio track of its own.
  func track(id: Int) -> Track {
    let segment = TrackSegment(asset: clip.path, trackIndex: 0, source: source, target: target)
    return Track(id: id, mediaType: .audio, segments: [segment])
  }

  /// The track's volume: a step, between the fades.
  func volume() throws(TimeError) -> Ramps<Double> {
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
