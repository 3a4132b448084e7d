import Timeline

extension Ducking {
  /// The longest attack, hold and release, in seconds.
  private static let longest = RationalTime(60)

  /// The problems of the ducking that can be found without tracks.
  func findings(at path: FindingPath) -> [Finding] {
    var findings: [Finding] = []
    if !(0.001..<1).contains(to) {
      findings.append(
        Finding(
          path: "\(path).to", problem: "\(to) is out of range",
          remedy: "use a gain of at least 0.001 and less than 1"))
    }
    if !(-100...0).contains(threshold) {
      findings.append(
        Finding(
          path: "\(path).threshold", problem: "\(threshold) dB is out of range",
          remedy: "use a value from -100 to 0"))
    }
    for (key, time) in [("attack", attack), ("hold", hold), ("release", release)]
    where time < .zero || time > Self.longest {
      findings.append(
        Finding(
          path: "\(path).\(key)", problem: "\(time) s is out of range",
          remedy: "use 0 to \(Self.longest) seconds"))
    }
    return findings
  }

  /// The problems of the list of tracks that a track is ducked under.
  func findings(ofTrack track: Int, in composition: Composition, at path: FindingPath) -> [Finding]
  {
    (under ?? []).enumerated().compactMap { number, other in
      let problem: String? =
        if other == track {
          "track \(track) cannot be ducked under itself"
        } else if composition.track(other)?.mediaType != .audio {
          composition.track(other) == nil
            ? "there is no track \(other)" : "track \(other) is a video track"
        } else {
          nil
        }
      return problem.map {
        Finding(path: "\(path).under[\(number)]", problem: $0, remedy: "name another audio track")
      }
    }
  }
}

extension Loudness {
  /// The problems of the loudness.
  func findings(at path: FindingPath) -> [Finding] {
    var findings: [Finding] = []
    if !(-50 ... -5).contains(target) {
      findings.append(
        Finding(
          path: "\(path).target", problem: "\(target) LUFS is out of range",
          remedy: "use a value from -50 to -5"))
    }
    if !(-20...0).contains(truePeak) {
      findings.append(
        Finding(
          path: "\(path).truePeak", problem: "\(truePeak) dBTP is out of range",
          remedy: "use a value from -20 to 0"))
    }
    return findings
  }
}
