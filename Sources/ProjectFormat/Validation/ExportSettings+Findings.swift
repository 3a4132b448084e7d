import Timeline

extension ExportSettings {
  /// The problem of video settings with the preset `automatic`, and its remedy.
  static let videoBesideAutomatic = (
    problem: "video settings cannot be used with the preset \"automatic\", which takes them from"
      + " the clips",
    remedy: "remove them, or choose another preset, such as \"highestQuality\""
  )

  /// The problems of the settings that can be found without trying the encoder.
  public func findings() -> [Finding] {
    var findings: [Finding] = []
    if let preset, ExportPreset.named(preset) == nil {
      findings.append(
        Finding(
          path: "export.preset", problem: "\"\(preset)\" is not a known preset",
          remedy: "choose one of: \(ExportPreset.all.map(\.name).joined(separator: ", "))"))
    }
    findings += containerFindings()
    if isPassthrough {
      findings += passthroughFindings()
    } else if isAutomatic, video != ExportPreset.automatic.videoSettings() {
      findings.append(
        Finding(
          path: "export.video", problem: Self.videoBesideAutomatic.problem,
          remedy: Self.videoBesideAutomatic.remedy))
    } else if !isAudioOnly {
      findings += video.findings(at: "export.video")
    }
    findings += audio.findings(at: "export.audio")
    if let timeRange {
      if timeRange.start < .zero {
        findings.append(
          Finding(
            path: "export.timeRange.start", problem: "\(timeRange.start) is negative",
            remedy: "use 0 or more"))
      }
      if timeRange.duration <= .zero {
        findings.append(
          Finding(
            path: "export.timeRange.duration",
            problem: "\(timeRange.duration) is not a valid duration",
            remedy: "use a value greater than 0"))
      }
    }
    if let metadata { findings += metadata.findings(at: "export.metadata") }
    if let chapters { findings += Chapter.findings(chapters, at: "export.chapters") }
    if chapters != nil, fileLengthLimit != nil {
      findings.append(
        Finding(
          path: "export.chapters",
          problem: "chapters cannot be combined with a \"fileLengthLimit\", because the end of the"
            + " file is not known in advance",
          remedy: "remove one of them"))
    }
    if let fileLengthLimit, fileLengthLimit < 65_536 {
      findings.append(
        Finding(
          path: "export.fileLengthLimit",
          problem: "a file cannot be as small as \(fileLengthLimit) bytes",
          remedy: "use 65536 or more"))
    }
    return findings
  }

  /// The findings for video settings that the sources determine.
  private func passthroughFindings() -> [Finding] {
    let values: [(key: String, value: String?)] = [
      ("bitRate", video.bitRate.map { "\($0)" }), ("profile", video.profile.map { "\"\($0)\"" }),
      ("level", video.level.map { "\"\($0)\"" }), ("bitDepth", video.bitDepth.map { "\($0)" }),
      ("options", video.options.map { "\($0.keys.sorted().joined(separator: ", "))" }),
      ("pixelAspectRatio", video.pixelAspectRatio.map { "\($0)" }),
      ("cleanAperture", video.cleanAperture.map { "\($0)" }),
    ]
    var findings = values.compactMap { key, value in
      value.map {
        Finding(
          path: "export.video.\(key)",
          problem: "\($0) cannot be set with the preset \"passthrough\", which keeps the format of"
            + " the sources",
          remedy: "remove it; only \"crf\", \"encoderPreset\", \"tune\" and \"keyFrameInterval\""
            + " can be set, for the frames that cannot be copied")
      }
    }
    if fileType.videoCodecs.isEmpty {
      findings.append(
        Finding(
          path: "export.fileType",
          problem: "\(fileType.rawValue) files cannot contain video, which the preset"
            + " \"passthrough\" copies",
          remedy: "choose mp4, mov, m4v, mkv or webm"))
    }
    return findings
  }

  /// The problems of settings that do not fit the container.
  private func containerFindings() -> [Finding] {
    var findings: [Finding] = []
    if !isAudioOnly, encodesEveryFrame, !fileType.videoCodecs.contains(video.codec) {
      let fitting = FileType.allCases.filter { $0.videoCodecs.contains(video.codec) }
      findings.append(
        Finding(
          path: "export.fileType",
          problem: "\(fileType.rawValue) files cannot contain \(video.codec.rawValue), which "
            + (effectivePreset.videoCodec == video.codec
              ? "the preset \"\(effectivePreset.name)\" uses" : "export.video.codec sets")
            + (isAutomatic ? " if it cannot continue the format of the clips" : ""),
          remedy: "choose another file type (\(Self.list(fitting))) or another video codec"
            + " (\(Self.list(fileType.videoCodecs)))",
          mentions: ["export.video.codec"]))
    }
    if !isAudioOnly, encodesEveryFrame, fileType.isMatroska, video.cleanAperture != nil {
      let fitting = FileType.allCases.filter {
        !$0.isMatroska && $0.videoCodecs.contains(video.codec)
      }
      findings.append(
        Finding(
          path: "export.fileType",
          problem: "\(fileType.rawValue) files cannot store a clean aperture, which"
            + " export.video.cleanAperture sets",
          remedy: "remove it, or choose another file type (\(Self.list(fitting)))",
          mentions: ["export.video.cleanAperture"]))
    }
    if !fileType.audioCodecs.contains(audio.codec) {
      let fitting = FileType.allCases.filter {
        $0.audioCodecs.contains(audio.codec)
          && (isAudioOnly || $0.videoCodecs.contains(video.codec))
      }
      let others = "choose another codec (\(Self.list(fileType.audioCodecs)))"
      findings.append(
        Finding(
          path: "export.audio.codec",
          problem: "\(fileType.rawValue) files cannot contain \(audio.codec.rawValue)",
          remedy: fitting.isEmpty
            ? others : "\(others) or another file type (\(Self.list(fitting)))"))
    }
    return findings
  }

  private static func list<Name: RawRepresentable<String>>(_ names: [Name]) -> String {
    names.map(\.rawValue).joined(separator: ", ")
  }
}
