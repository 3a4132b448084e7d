import Timeline

extension ClipSequence {
  /// Reads the sequence form. Values that cannot be read are logged and replaced by placeholders.
  init(reading members: JSONMembers) {
    let items = members.required("sequence")?.array()?.map(SequenceItem.init(reading:))
    let music = members.optional("music")?.array()?.map(MusicClip.init(reading:))
    let export = members.optional("export").map(ExportSettings.init(reading:))
    let fit = members.optional("fit")?.choice(of: Fit.self) ?? .contain
    let renderSize = members.optional("renderSize").flatMap(PixelSize.init(reading:))
    let frameRate = members.optional("frameRate")?.time()
    let written = members.optional("animation")
    let animation = written.flatMap { Animation(reading: $0, in: LayerScope(frame: renderSize)) }
    let titles = members.optional("titles")?.array()?.map(SequenceTitle.init(reading:))
    self.init(
      items: items ?? [], music: music ?? [], fit: fit, renderSize: renderSize,
      frameRate: frameRate, animation: animation,
      titles: titles ?? [], export: export ?? ExportSettings(.automatic))
    if let written, written.value.mayBeRelative { relativeAnimation = written.value }
  }
}

extension SequenceItem {
  fileprivate init(reading node: JSONNode) {
    self = .clip(SequenceClip(path: ""))
    guard case .object(let object) = node.value else {
      _ = node.object([])
      return
    }
    switch (object["clip"] != nil, object["transition"] != nil) {
    case (true, false):
      self = .clip(SequenceClip(reading: node))
    case (false, true):
      self = .transition(SequenceTransition(reading: node))
    case (let both, _):
      node.refuse(
        both
          ? "\"clip\" and \"transition\" cannot be used together"
          : "\"clip\" or \"transition\" is missing",
        both ? "remove one of them" : "add one of them")
    }
  }
}

extension SequenceClip {
  fileprivate init(reading node: JSONNode) {
    self.init(path: "")
    guard
      let members = node.object(
        ["clip", "in", "out", "duration", "volume", "speed", "pitch", "fit"],
        later: ["reverse", "crop", "transform", "text", "filters"])
    else { return }
    let path = members.required("clip")?.fileName()
    let inPoint = members.optional("in")?.time()
    let outPoint = members.optional("out")?.time()
    let duration = members.optional("duration")?.time()
    let volume = members.optional("volume").map { $0.number() } ?? 1
    let speed = members.optional("speed").map(ClipSpeed.init(reading:)) ?? .normal
    let pitch =
      members.optional("pitch").map { $0.choice(of: AudioTimePitchAlgorithm.self) } ?? .spectral
    let fit = members.optional("fit")?.choice(of: Fit.self)
    self.init(
      path: path ?? "", inPoint: inPoint, outPoint: outPoint, duration: duration,
      volume: volume ?? 1, fit: fit, speed: speed ?? .normal, pitch: pitch ?? .spectral)
  }
}

extension ClipSpeed {
  /// Reads a number or a list of pieces.
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
  fileprivate init(reading node: JSONNode) {
    self.init(kind: .dissolve, duration: .zero)
    guard
      let members = node.object(
        [
          "transition", "duration", "direction", "color", "easing", "audio", "softness", "map",
        ])
    else { return }
    let kind = members.required("transition")?.choice(
      of: Kind.self,
      later: ["fadeThroughBlack", "zoom", "cube", "blur", "spin"])
    let duration = members.required("duration")?.time()
    let direction = members.optional("direction")?.choice(of: MotionDirection.self)
    let color = members.optional("color").map(Color.init(reading:)) ?? .black
    let easing =
      members.optional("easing")
      .map { TimingFunction(reading: $0, names: TimingFunction.easings) } ?? .linear
    let audio = members.optional("audio").map { $0.choice(of: CrossFade.self) } ?? .linear
    let softness = members.optional("softness").map { $0.number() } ?? 0
    let map = members.optional("map").map { $0.fileName() }
    self.init(
      kind: kind ?? .dissolve, duration: duration ?? .zero, direction: direction ?? .left,
      color: color ?? .black, easing: easing ?? .linear, audio: audio ?? .linear,
      softness: softness ?? 0, map: map ?? nil)
    if let kind { Self.refuseForeign(members, of: kind) }
  }

  /// Reports the keys that do not apply to a kind of transition.
  private static func refuseForeign(_ members: JSONMembers, of kind: Kind) {
    let meant = [
      ("direction", kind.isDirected), ("color", kind.isColored), ("softness", kind.hasEdge),
      ("map", kind.isMapped),
    ]
    for (key, isMeant) in meant {
      guard let node = members.optional(key), !isMeant else { continue }
      node.log.note(
        Finding(
          path: node.path, problem: "\"\(key)\" does not apply to \(kind.described)",
          remedy: "remove it"))
    }
  }
}

extension MusicClip {
  fileprivate init(reading node: JSONNode) {
    self.init(path: "")
    guard
      let members = node.object(
        [
          "clip", "start", "in", "out", "volume", "fadeIn", "fadeOut", "loop", "speed", "pitch",
          "duck",
        ])
    else { return }
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
    self.init(
      path: path ?? "", start: start ?? .zero, inPoint: inPoint, outPoint: outPoint,
      volume: volume ?? 1, fadeIn: fadeIn ?? .zero, fadeOut: fadeOut ?? .zero,
      loops: loops ?? false, speed: speed ?? RationalTime(1), pitch: pitch ?? .spectral,
      duck: duck)
  }
}
