import Timeline

extension VideoSettings {
  /// The problems of the settings that can be found without trying the encoder.
  package func findings(at path: FindingPath) -> [Finding] {
    var findings: [Finding] = []
    func check(_ isGood: Bool, _ key: String, _ problem: String, _ remedy: String) {
      guard !isGood else { return }
      findings.append(Finding(path: "\(path).\(key)", problem: problem, remedy: remedy))
    }
    func checkChoice(
      _ value: String?, _ key: String, _ what: String, among choices: [String],
      detail: String = ""
    ) {
      guard let value else { return }
      check(
        choices.contains(value), key,
        "\"\(value)\" is not \(what) of \(codec.encoderName)\(detail)",
        choices.isEmpty ? "remove it" : "choose one of: \(choices.joined(separator: ", "))")
    }
    if let range = codec.crfRange {
      let shown = "\(Int(range.lowerBound)) (best) to \(Int(range.upperBound))"
      if let crf {
        check(
          range.contains(crf), "crf", "\(crf) is out of range", "use a value from \(shown)")
        check(
          !range.contains(crf) || !codec.takesWholeCRF || crf == crf.rounded(), "crf",
          "\(crf) is not a whole number, which \(codec.encoderName) requires",
          "use a whole number from \(shown)")
      }
      check(
        crf == nil || bitRate == nil, "bitRate",
        "\"bitRate\" and \"crf\" cannot be used together", "remove one of them")
    } else {
      check(crf == nil, "crf", "ProRes does not take a crf", "use a profile instead")
    }
    if let bitRate {
      if let range = codec.bitRates {
        check(
          range.contains(bitRate), "bitRate",
          "\(bitRate) bits per second is out of range for \(codec.encoderName)",
          "use a value from \(range.lowerBound) to \(range.upperBound)")
      } else {
        check(false, "bitRate", "the bit rate of ProRes depends on the profile", "remove it")
      }
    }
    checkChoice(encoderPreset, "encoderPreset", "a preset", among: codec.encoderPresets)
    check(
      codec.bitDepths.contains(effectiveBitDepth), "bitDepth",
      "\(codec.rawValue) does not support \(effectiveBitDepth) bits per sample",
      "use \(codec.bitDepths.map(String.init).joined(separator: " or "))")
    checkChoice(
      profile, "profile", "a profile", among: codec.profiles(bitDepth: effectiveBitDepth),
      detail: " for \(effectiveBitDepth) bits per sample")
    checkChoice(level, "level", "a level", among: codec.levels)
    checkChoice(tune, "tune", "a tuning", among: codec.tunes)
    if let keyFrameInterval {
      check(
        (1...10_000).contains(keyFrameInterval), "keyFrameInterval",
        "\(keyFrameInterval) is out of range", "use a value from 1 to 10000")
      check(
        codec != .prores, "keyFrameInterval", "every frame of ProRes is a keyframe",
        "remove it")
    }
    if let pixelAspectRatio {
      check(
        pixelAspectRatio > .zero && pixelAspectRatio.numerator <= 255
          && pixelAspectRatio.denominator <= 255, "pixelAspectRatio",
        "\(pixelAspectRatio) is not a valid pixel aspect ratio",
        "use a fraction greater than 0 with numbers up to 255")
    }
    findings += cleanAperture?.findings(at: "\(path).cleanAperture") ?? []
    return findings + optionFindings(at: path)
  }

  /// The path of an encoder option within settings at a path.
  package static func path(ofOption name: String, at path: FindingPath) -> FindingPath {
    "\(path).options.\(name)"
  }

  private func optionFindings(at path: FindingPath) -> [Finding] {
    (options ?? [:]).sorted { $0.key < $1.key }.compactMap { name, value in
      let path = Self.path(ofOption: name, at: path)
      if let reason = RefusedOption.reason(for: name) {
        return Finding(
          path: path, problem: "\"\(name)\" cannot be set: \(reason)", remedy: "remove it")
      }
      let forbidden: Set<Character> = [":", "=", "\"", "'", "\\", "\n", "\0"]
      guard !name.contains(where: forbidden.contains), !value.contains(where: forbidden.contains),
        !name.isEmpty, name.count <= 100, value.count <= 200
      else {
        return Finding(
          path: path, problem: "\"\(value)\" is not a valid option value",
          remedy: "use a name and a value without colons, equals signs and quotes")
      }
      return nil
    }
  }
}
