extension AudioSettings {
  /// The problems of the settings.
  func findings(at path: String) -> [Finding] {
    var findings: [Finding] = []
    func check(_ isGood: Bool, _ key: String, _ problem: String, _ remedy: String) {
      guard !isGood else { return }
      findings.append(Finding(path: "\(path).\(key)", problem: problem, remedy: remedy))
    }
    if let bitRate {
      if codec.isLossless {
        check(false, "bitRate", "\(codec.shown) has no bit rate to choose", "leave it out")
      } else {
        check(
          (8_000...512_000).contains(bitRate), "bitRate",
          "\(bitRate) bits a second cannot be encoded", "give 8000 to 512000")
      }
    }
    check(
      codec.sampleRates.contains(sampleRate), "sampleRate",
      "\(sampleRate) samples a second cannot be encoded as \(codec.shown)",
      "choose one of: \(codec.sampleRates.map(String.init).joined(separator: ", "))")
    check(
      [1, 2, 6].contains(channels), "channels", "\(channels) channels cannot be encoded",
      "give 1, 2, or 6 for 5.1")
    if let bitDepth {
      check(
        codec.isLossless && (bitDepth == 16 || bitDepth == 24), "bitDepth",
        codec.isLossless
          ? "\(bitDepth) bits a sample cannot be encoded as \(codec.shown)"
          : "\(codec.shown) has no bits a sample to choose",
        codec.isLossless ? "give 16 or 24" : "leave it out")
    }
    return findings + (loudness?.findings(at: "\(path).loudness") ?? [])
  }

  /// The sample rates of AAC, ISO/IEC 14496-3 table 1.18.
  public static let sampleRates = [
    8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000,
  ]
}
