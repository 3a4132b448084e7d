extension ExportSettings {
  /// What is wrong with the settings.
  func findings() -> [Finding] {
    var findings: [Finding] = []
    func check(_ isGood: Bool, _ path: String, _ problem: String, _ remedy: String) {
      guard !isGood else { return }
      findings.append(Finding(path: "export.\(path)", problem: problem, remedy: remedy))
    }
    if let preset {
      check(
        ExportPreset.named(preset) != nil, "preset", "\"\(preset)\" is not a known preset",
        "choose one of: \(ExportPreset.all.map(\.name).joined(separator: ", "))")
    }
    check(
      (0...51).contains(video.crf), "video.crf", "\(video.crf) is no constant rate factor",
      "give 0 (best) to 51")
    check(
      VideoSettings.encoderPresets.contains(video.encoderPreset), "video.encoderPreset",
      "\"\(video.encoderPreset)\" is not a preset of libx264",
      "choose one of: \(VideoSettings.encoderPresets.joined(separator: ", "))")
    check(
      (8_000...512_000).contains(audio.bitRate), "audio.bitRate",
      "\(audio.bitRate) bits a second cannot be encoded", "give 8000 to 512000")
    check(
      AudioSettings.sampleRates.contains(audio.sampleRate), "audio.sampleRate",
      "\(audio.sampleRate) samples a second cannot be encoded as AAC",
      "choose one of: \(AudioSettings.sampleRates.map(String.init).joined(separator: ", "))")
    check(
      [1, 2, 6].contains(audio.channels), "audio.channels",
      "\(audio.channels) channels cannot be encoded", "give 1, 2, or 6 for 5.1")
    findings += audio.loudness?.findings(at: "export.audio.loudness") ?? []
    return findings
  }
}

extension VideoSettings {
  /// The presets of libx264, fastest first.
  public static let encoderPresets = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower",
    "veryslow", "placebo",
  ]
}

extension AudioSettings {
  /// The sample rates of AAC, ISO/IEC 14496-3 table 1.18.
  public static let sampleRates = [
    8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000,
  ]
}
