import Timeline

extension SequenceLayout.PlacedClip {
  /// The steps and ramps of the clip's volume on its track. `held` is the volume in effect before the clip.
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
  /// The curve of the gain that rises from 0.
  fileprivate var rise: TimingFunction { self == .linear ? .linear : .equalPowerRise }
  /// The curve of the gain that falls to 0.
  fileprivate var fall: TimingFunction { self == .linear ? .linear : .equalPowerFall }
}
