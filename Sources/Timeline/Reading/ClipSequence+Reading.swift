extension ClipSequence {
  /// Reads the sequence form; `nil` where a part cannot be read, which is in the log.
  init?(reading members: JSONMembers) {
    let items = members.required("sequence")?.array()?.compactMap(SequenceItem.init(reading:))
    let music = members.optional("music").map { $0.array()?.compactMap(MusicClip.init(reading:)) }
    let animation = members.optional("animation").map(Animation.init(reading:))
    let export = members.optional("export").map(ExportSettings.init(reading:))
    let fit = members.optional("fit")?.choice(of: Fit.self) ?? .contain
    guard let items, let music = music ?? [] else { return nil }
    self.init(
      items: items, music: music, fit: fit, animation: animation ?? nil,
      export: export ?? ExportSettings())
  }
}

extension SequenceItem {
  init?(reading node: JSONNode) {
    guard case .object(let object) = node.value else {
      _ = node.object([])
      return nil
    }
    switch (object["clip"] != nil, object["transition"] != nil) {
    case (true, false):
      guard let clip = SequenceClip(reading: node) else { return nil }
      self = .clip(clip)
    case (false, true):
      guard let transition = SequenceTransition(reading: node) else { return nil }
      self = .transition(transition)
    case (let both, _):
      node.refuse(
        both
          ? "there is a \"clip\" as well as a \"transition\""
          : "there is neither a \"clip\" nor a \"transition\"",
        "write one of the two")
      return nil
    }
  }
}

extension SequenceClip {
  init?(reading node: JSONNode) {
    guard
      let members = node.object(
        ["clip", "in", "out", "duration", "volume", "speed", "pitch", "fit"],
        later: ["reverse", "crop", "transform", "text", "filters"])
    else { return nil }
    let path = members.required("clip")?.fileName()
    let inPoint = members.optional("in")?.time()
    let outPoint = members.optional("out")?.time()
    let duration = members.optional("duration")?.time()
    let volume = members.optional("volume").map { $0.number() } ?? 1
    let speed = members.optional("speed").map(ClipSpeed.init(reading:)) ?? .normal
    let pitch =
      members.optional("pitch").map { $0.choice(of: AudioTimePitchAlgorithm.self) } ?? .spectral
    let fit = members.optional("fit")?.choice(of: Fit.self)
    guard let path, let volume, let speed, let pitch else { return nil }
    self.init(
      path: path, inPoint: inPoint, outPoint: outPoint, duration: duration, volume: volume,
      fit: fit, speed: speed, pitch: pitch)
  }
}

extension ClipSpeed {
  /// Reads a number, or a list of pieces.
  init?(reading node: JSONNode) {
    guard case .array = node.value else {
      guard let speed = node.time() else { return nil }
      self = .constant(speed)
      return
    }
    guard let nodes = node.array() else { return nil }
    self = .pieces(nodes.compactMap(Piece.init(reading:)))
  }
}

extension ClipSpeed.Piece {
  /// Reads `{"duration", "speed"}` or `{"duration", "from", "to"}`.
  init?(reading node: JSONNode) {
    guard case .object(let object) = node.value, object["speed"] == nil else {
      guard let members = node.object(["duration", "speed"]) else { return nil }
      let duration = members.optional("duration")?.time()
      guard let speed = members.required("speed")?.time() else { return nil }
      self.init(duration: duration, from: speed, to: speed)
      return
    }
    guard let members = node.object(["duration", "from", "to"]) else { return nil }
    let duration = members.optional("duration")?.time()
    let from = members.required("from")?.time()
    let to = members.required("to")?.time()
    guard let from, let to else { return nil }
    self.init(duration: duration, from: from, to: to)
  }
}

extension SequenceTransition {
  init?(reading node: JSONNode) {
    guard
      let members = node.object(
        [
          "transition", "duration", "direction", "color", "easing", "audio", "softness", "map",
        ])
    else { return nil }
    let kind = members.required("transition")?.choice(
      of: Kind.self,
      later: ["fadeThroughBlack", "zoom", "cube", "blur", "spin"])
    let duration = members.required("duration")?.time()
    let direction = members.optional("direction")?.choice(of: Direction.self)
    let colour = members.optional("color").map(Colour.init(reading:)) ?? .black
    let easing =
      members.optional("easing")
      .map { TimingFunction(reading: $0, names: TimingFunction.easings) } ?? .linear
    let audio = members.optional("audio").map { $0.choice(of: CrossFade.self) } ?? .linear
    let softness = members.optional("softness").map { $0.number() } ?? 0
    let map = members.optional("map").map { $0.fileName() }
    guard let kind, let duration, let colour, let easing, let audio, let softness else {
      return nil
    }
    let meant = [
      ("direction", kind.isDirected), ("color", kind.isColoured), ("softness", kind.hasEdge),
      ("map", kind.isMapped),
    ]
    for (key, isMeant) in meant {
      guard let node = members.optional(key), !isMeant else { continue }
      node.log.note(
        Finding(
          path: node.path, problem: "\(kind.described) has no \(key)", remedy: "leave it out"))
    }
    self.init(
      kind: kind, duration: duration, direction: direction ?? .left, colour: colour,
      easing: easing, audio: audio, softness: softness, map: map ?? nil)
  }
}

extension MusicClip {
  init?(reading node: JSONNode) {
    guard
      let members = node.object(
        [
          "clip", "start", "in", "out", "volume", "fadeIn", "fadeOut", "loop", "speed", "pitch",
          "duck",
        ])
    else { return nil }
    let path = members.required("clip")?.fileName()
    let start = members.optional("start")?.time()
    let inPoint = members.optional("in")?.time()
    let outPoint = members.optional("out")?.time()
    let volume = members.optional("volume").map { $0.number() } ?? 1
    let fadeIn = members.optional("fadeIn")?.time()
    let fadeOut = members.optional("fadeOut")?.time()
    let loops = members.optional("loop").map { $0.bool() } ?? false
    let speed = members.optional("speed").map { $0.time() } ?? RationalTime(1)
    let pitch =
      members.optional("pitch").map { $0.choice(of: AudioTimePitchAlgorithm.self) } ?? .spectral
    let duck = members.optional("duck").flatMap { Ducking.reading($0, naming: false) } ?? nil
    guard let path, let volume, let loops, let speed, let pitch else { return nil }
    self.init(
      path: path, start: start ?? .zero, inPoint: inPoint, outPoint: outPoint, volume: volume,
      fadeIn: fadeIn ?? .zero, fadeOut: fadeOut ?? .zero, loops: loops, speed: speed,
      pitch: pitch, duck: duck)
  }
}
