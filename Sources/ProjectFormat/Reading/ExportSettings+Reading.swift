import Timeline

extension ExportSettings {
  /// Reads `export`. Values that cannot be read are logged and replaced by their defaults.
  init(reading node: JSONNode) {
    self.init()
    guard
      let members = node.object(
        [
          "preset", "fileType", "optimizeForNetworkUse", "video", "audio", "timeRange", "metadata",
          "chapters", "fileLengthLimit", "onDamage", "compatibility",
        ],
        later: ["multiplePasses", "subtitles"])
    else { return }
    let named = members.optional("fileType")?.choice(of: FileType.self)
    if let name = members.optional("preset").flatMap(Self.preset) {
      self = ExportSettings(ExportPreset.named(name) ?? .highestQuality, fileType: named)
      preset = name
    } else if members.optional("preset") != nil {
      noteLeftOpen(members)
    } else if members.optional("video") == nil {
      self = ExportSettings(.automatic, fileType: named)
    }
    fileType = named ?? fileType
    optimizeForNetworkUse =
      members.optional("optimizeForNetworkUse")?.bool() ?? optimizeForNetworkUse
    if let node = members.optional("video") {
      if isAudioOnly {
        node.refuse(
          "an audio-only file has no video",
          "remove it, or choose a preset and a file type with video")
      } else if isAutomatic {
        node.refuse(Self.videoBesideAutomatic.problem, Self.videoBesideAutomatic.remedy)
      } else {
        video = VideoSettings(reading: node, preset: effectivePreset)
      }
    }
    if let node = members.optional("audio") {
      audio.read(node)
      copiesSound = nil
    }
    timeRange = members.optional("timeRange")?.timeRange()
    metadata = members.optional("metadata").flatMap(ExportMetadata.init(reading:))
    chapters = members.optional("chapters")?.array()?.map(Chapter.init(reading:))
    fileLengthLimit = members.optional("fileLengthLimit")?.integer()
    onDamage = members.optional("onDamage")?.choice(of: DamagePolicy.self)
    compatibility = members.optional("compatibility")?.choice(of: Compatibility.self)
  }

  /// Records the values that depend on a preset that cannot be read.
  private func noteLeftOpen(_ members: JSONMembers) {
    func isSaid(_ key: String, in node: JSONNode?) -> Bool {
      guard case .object(let object) = node?.value else { return false }
      return object[key] != nil
    }
    if members.optional("fileType") == nil { members.log.noteHole(at: "export.fileType") }
    for kind in ["video", "audio"] where !isSaid("codec", in: members.optional(kind)) {
      members.log.noteHole(at: "export.\(kind).codec")
    }
  }

  /// The preset's name, if it is known.
  private static func preset(_ node: JSONNode) -> String? {
    guard let name = node.string() else { return nil }
    guard ExportPreset.named(name) == nil else { return name }
    let remedy = "choose one of: \(ExportPreset.all.map(\.name).joined(separator: ", "))"
    node.refuse("\(node.value.shown) is not a known preset", remedy)
    return nil
  }
}

extension VideoSettings {
  /// Reads `export.video`. Missing values are those of the preset.
  fileprivate init(reading node: JSONNode, preset: ExportPreset) {
    guard
      let members = node.object(
        [
          "codec", "crf", "encoderPreset", "bitRate", "keyFrameInterval", "profile", "level",
          "tune", "bitDepth", "options", "pixelAspectRatio", "cleanAperture",
        ],
        later: ["maximumBitRate", "pixelFormat"])
    else {
      self = preset.videoSettings()
      return
    }
    let codec = members.optional("codec")
    if preset == .passthrough, let codec {
      codec.refuse(
        "\(codec.value.shown) cannot be chosen with the preset \"passthrough\", which keeps the"
          + " codec of the sources", "remove it, or choose another preset")
    }
    self = preset.videoSettings(codec: codec?.choice(of: Codec.self))
    bitRate = members.optional("bitRate")?.integer()
    let quality = members.optional("crf")
    crf = members.optional("bitRate") == nil ? quality?.number() ?? crf : quality?.number()
    encoderPreset = members.optional("encoderPreset")?.string() ?? encoderPreset
    keyFrameInterval = members.optional("keyFrameInterval")?.integer()
    profile = members.optional("profile")?.string() ?? profile
    level = members.optional("level")?.string()
    tune = members.optional("tune")?.string()
    bitDepth = members.optional("bitDepth")?.integer()
    pixelAspectRatio = members.optional("pixelAspectRatio")?.time()
    cleanAperture = members.optional("cleanAperture").flatMap(CleanAperture.init(reading:))
    options = members.optional("options").flatMap(Self.options)
  }

  /// Reads encoder options: strings, numbers and Boolean values by name.
  private static func options(_ node: JSONNode) -> [String: String]? {
    guard case .object(let object) = node.value else {
      _ = node.object([])
      return nil
    }
    var options: [String: String] = [:]
    for (name, node) in JSONMembers(path: node.path, object: object, log: node.log).all {
      switch node.value {
      case .string(let text), .number(let text): options[name] = text
      case .bool(let flag): options[name] = flag ? "1" : "0"
      default:
        node.refuse(
          "\(node.value.shown) is not a valid option value",
          "use a string, a number, true or false")
      }
    }
    return options
  }
}

extension VideoSettings.CleanAperture {
  fileprivate init?(reading node: JSONNode) {
    guard
      let members = node.object(["width", "height", "horizontalOffset", "verticalOffset"])
    else { return nil }
    let (width, height) = (members.required("width")?.time(), members.required("height")?.time())
    let horizontalOffset = members.optional("horizontalOffset")?.time()
    let verticalOffset = members.optional("verticalOffset")?.time()
    guard let width, let height else { return nil }
    self.init(
      width: width, height: height, horizontalOffset: horizontalOffset ?? .zero,
      verticalOffset: verticalOffset ?? .zero)
  }
}

extension AudioSettings {
  /// Reads the values that are present; the others keep their current value.
  fileprivate mutating func read(_ node: JSONNode) {
    guard
      let members = node.object(
        ["codec", "bitRate", "sampleRate", "channels", "bitDepth", "loudness"],
        later: ["channelLayout", "profile"])
    else { return }
    codec =
      members.optional("codec")?.choice(of: Codec.self, later: ["mp3", "ac3", "vorbis"]) ?? codec
    sampleRate = members.optional("sampleRate")?.integer() ?? sampleRate
    channels = members.optional("channels")?.integer() ?? channels
    bitRate =
      members.optional("bitRate")?.integer()
      ?? (codec.isLossless ? nil : Self.bitRate(channels: channels))
    bitDepth = members.optional("bitDepth")?.integer() ?? bitDepth
    loudness = members.optional("loudness").flatMap(Loudness.init(reading:))
  }
}
