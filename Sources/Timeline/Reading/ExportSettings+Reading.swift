extension ExportSettings {
  /// Reads `export`; what cannot be read is in the log and has its default here.
  init(reading node: JSONNode) {
    self.init()
    guard
      let members = node.object(
        ["preset", "fileType", "optimizeForNetworkUse", "video", "audio"],
        later: [
          "metadata", "chapters", "timeRange", "fileLengthLimit", "multiplePasses", "subtitles",
        ])
    else { return }
    preset = members.optional("preset").flatMap(Self.preset)
    video.crf = effectivePreset.crf
    fileType =
      members.optional("fileType")?
      .choice(of: FileType.self, later: ["m4v", "m4a", "mkv", "webm"]) ?? fileType
    optimizeForNetworkUse =
      members.optional("optimizeForNetworkUse")?.bool() ?? optimizeForNetworkUse
    if let node = members.optional("video") { video.read(node) }
    if let node = members.optional("audio") { audio.read(node) }
  }

  /// The preset's name, where it is known.
  private static func preset(_ node: JSONNode) -> String? {
    guard let name = node.string(), ExportPreset.named(name) == nil else { return node.string() }
    let remedy = "choose one of: \(ExportPreset.all.map(\.name).joined(separator: ", "))"
    if name.hasPrefix("hevc") || name.hasPrefix("appleProRes")
      || ["passthrough", "appleM4A"].contains(name)
    {
      node.log.note(.unsupported(node.path, "the preset \(node.value.shown)", remedy: remedy))
    } else {
      node.log.note(
        Finding(
          path: node.path, problem: "\(node.value.shown) is not a known preset", remedy: remedy))
    }
    return nil
  }
}

extension VideoSettings {
  /// Reads what is there over what is set.
  fileprivate mutating func read(_ node: JSONNode) {
    guard
      let members = node.object(
        ["codec", "crf", "encoderPreset"],
        later: [
          "bitRate", "maximumBitRate", "profile", "level", "keyFrameInterval", "pixelFormat",
          "tune",
        ])
    else { return }
    codec =
      members.optional("codec")?
      .choice(of: Codec.self, later: ["hevc", "h265", "av1", "vp8", "vp9", "prores", "mjpeg"])
      ?? codec
    crf = members.optional("crf")?.number() ?? crf
    encoderPreset = members.optional("encoderPreset")?.string() ?? encoderPreset
  }
}

extension AudioSettings {
  /// Reads what is there over what is set.
  fileprivate mutating func read(_ node: JSONNode) {
    guard
      let members = node.object(
        ["codec", "bitRate", "sampleRate", "channels", "loudness"],
        later: ["channelLayout", "profile"])
    else { return }
    codec =
      members.optional("codec")?
      .choice(of: Codec.self, later: ["opus", "mp3", "flac", "alac", "pcm", "ac3", "vorbis"])
      ?? codec
    sampleRate = members.optional("sampleRate")?.integer() ?? sampleRate
    channels = members.optional("channels")?.integer() ?? channels
    bitRate = members.optional("bitRate")?.integer() ?? Self.bitRate(channels: channels)
    loudness = members.optional("loudness").flatMap(Loudness.init(reading:))
  }
}
