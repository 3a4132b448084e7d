import Timeline

extension AudioSettings {
  /// The problems of the settings.
  func findings(at path: FindingPath) -> [Finding] {
    var findings: [Finding] = []
    func check(_ isGood: Bool, _ key: String, _ problem: String, _ remedy: String) {
      guard !isGood else { return }
      findings.append(Finding(path: "\(path).\(key)", problem: problem, remedy: remedy))
    }
    if let bitRate {
      if codec.isLossless {
        check(false, "bitRate", "\(codec.shown) does not take a bit rate", "remove it")
      } else {
        check(
          (8_000...512_000).contains(bitRate), "bitRate",
          "\(bitRate) bits per second is out of range",
          "use a value from 8000 to 512000")
      }
    }
    check(
      codec.sampleRates.contains(sampleRate), "sampleRate",
      "\(codec.shown) does not support \(sampleRate) samples per second",
      "choose one of: \(codec.sampleRates.map(String.init).joined(separator: ", "))")
    check(
      [1, 2, 6].contains(channels), "channels", "\(channels) channels cannot be encoded",
      "use 1, 2, or 6 for 5.1")
    if let bitDepth {
      check(
        codec.isLossless && (bitDepth == 16 || bitDepth == 24), "bitDepth",
        codec.isLossless
          ? "\(codec.shown) does not support \(bitDepth) bits per sample"
          : "\(codec.shown) does not take a bit depth",
        codec.isLossless ? "use 16 or 24" : "remove it")
    }
    return findings + (loudness?.findings(at: "\(path).loudness") ?? [])
  }
}
