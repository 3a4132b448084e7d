extension VideoSettings {
  /// The problems of the settings that can be found without the encoder.
  package func findings(at path: String) -> [Finding] {
    var findings: [Finding] = []
    func check(_ isGood: Bool, _ key: String, _ problem: String, _ remedy: String) {
      guard !isGood else { return }
      findings.append(Finding(path: "\(path).\(key)", problem: problem, remedy: remedy))
    }
    func checkChoice(_ value: String?, _ key: String, _ what: String, among choices: [String]) {
      guard let value else { return }
      check(
        choices.contains(value), key, "\"\(value)\" is not \(what) of \(codec.encoderName)",
        choices.isEmpty ? "leave it out" : "choose one of: \(choices.joined(separator: ", "))")
    }
    if let range = codec.crfRange {
      let shown = "\(Int(range.lowerBound)) (best) to \(Int(range.upperBound))"
      if let crf {
        check(
          range.contains(crf), "crf", "\(crf) is no constant rate factor", "give \(shown)")
        check(
          !range.contains(crf) || !codec.takesWholeCRF || crf == crf.rounded(), "crf",
          "\(crf) is not a whole number, which \(codec.encoderName) needs", "give \(shown)")
      }
      check(
        crf == nil || bitRate == nil, "bitRate",
        "there is a \"bitRate\" as well as a \"crf\"", "write one of the two")
    } else {
      check(crf == nil, "crf", "ProRes has no constant rate factor", "choose a profile instead")
    }
    if let bitRate {
      if let range = codec.bitRates {
        check(
          range.contains(bitRate), "bitRate",
          "\(bitRate) bits a second cannot be asked of \(codec.encoderName)",
          "give \(range.lowerBound) to \(range.upperBound)")
      } else {
        check(false, "bitRate", "the profile decides the bit rate of ProRes", "leave it out")
      }
    }
    checkChoice(encoderPreset, "encoderPreset", "a preset", among: codec.encoderPresets)
    check(
      codec.bitDepths.contains(effectiveBitDepth), "bitDepth",
      "\(effectiveBitDepth) bits a sample cannot be encoded as \(codec.rawValue)",
      "give \(codec.bitDepths.map(String.init).joined(separator: " or "))")
    checkChoice(
      profile, "profile", "a profile for \(effectiveBitDepth) bits a sample",
      among: codec.profiles(bitDepth: effectiveBitDepth))
    checkChoice(level, "level", "a level", among: codec.levels)
    checkChoice(tune, "tune", "a tuning", among: codec.tunes)
    if let keyFrameInterval {
      check(
        (1...10_000).contains(keyFrameInterval), "keyFrameInterval",
        "a keyframe every \(keyFrameInterval) frames is not possible", "give 1 to 10000")
      check(
        codec != .prores, "keyFrameInterval", "every frame of ProRes is a keyframe",
        "leave it out")
    }
    if let pixelAspectRatio {
      check(
        pixelAspectRatio > .zero && pixelAspectRatio.numerator <= 255
          && pixelAspectRatio.denominator <= 255, "pixelAspectRatio",
        "\(pixelAspectRatio) is no pixel's width over its height",
        "give a fraction above 0 of numbers up to 255")
    }
    findings += cleanAperture?.findings(at: "\(path).cleanAperture") ?? []
    return findings + optionFindings(at: path)
  }

  /// The path of an encoder option within settings at a path.
  package static func path(ofOption name: String, at path: String) -> String {
    JSONMembers.join("\(path).options", name)
  }

  private func optionFindings(at path: String) -> [Finding] {
    (options ?? [:]).sorted { $0.key < $1.key }.compactMap { name, value in
      let path = Self.path(ofOption: name, at: path)
      if let reason = RefusedOption.reason(for: name) {
        return Finding(
          path: path, problem: "\"\(name)\" cannot be set: \(reason)", remedy: "leave it out")
      }
      let forbidden: Set<Character> = [":", "=", "\"", "'", "\\", "\n", "\0"]
      guard !name.contains(where: forbidden.contains), !value.contains(where: forbidden.contains),
        !name.isEmpty, name.count <= 100, value.count <= 200
      else {
        return Finding(
          path: path, problem: "\"\(value)\" is not an option's value",
          remedy: "give a name and a value without colons, equals signs and quotes")
      }
      return nil
    }
  }
}
