extension Ducking {
  /// The longest attack, hold and release, in seconds.
  private static let longest = RationalTime(60)

  /// The problems of the ducking that can be found without tracks.
  func findings(at path: String) -> [Finding] {
    var findings: [Finding] = []
    if !(0.001..<1).contains(to) {
      findings.append(
        Finding(
          path: "\(path).to", problem: "\(to) is no gain to duck to",
          remedy: "give 0.001 or more, and less than 1"))
    }
    if !(-100...0).contains(threshold) {
      findings.append(
        Finding(
          path: "\(path).threshold", problem: "\(threshold) is no level in decibels",
          remedy: "give -100 to 0"))
    }
    for (key, time) in [("attack", attack), ("hold", hold), ("release", release)]
    where time < .zero || time > Self.longest {
      findings.append(
        Finding(
          path: "\(path).\(key)", problem: "\(time) s cannot be used",
          remedy: "give 0 to \(Self.longest) seconds"))
    }
    return findings
  }

  /// The problems of the tracks that a track is ducked for.
  func findings(ofTrack track: Int, in composition: Composition, at path: String) -> [Finding] {
    (under ?? []).enumerated().compactMap { number, other in
      let problem: String? =
        if other == track {
          "track \(track) cannot give way to itself"
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
  func findings(at path: String) -> [Finding] {
    var findings: [Finding] = []
    if !(-50 ... -5).contains(target) {
      findings.append(
        Finding(
          path: "\(path).target", problem: "\(target) LUFS cannot be reached",
          remedy: "give -50 to -5"))
    }
    if !(-20...0).contains(truePeak) {
      findings.append(
        Finding(
          path: "\(path).truePeak", problem: "\(truePeak) dBTP is no ceiling",
          remedy: "give -20 to 0"))
    }
    return findings
  }
}
