import Timeline

extension VideoComposition {
  /// Reads the `videoComposition` of the composition form.
  init?(reading node: JSONNode) {
    guard
      let members = node.object(
        ["renderSize", "renderScale", "frameDuration", "instructions", "animation"],
        later: ["colorPrimaries", "colorTransferFunction", "colorYCbCrMatrix", "customCompositor"])
    else { return nil }
    let renderSize = members.required("renderSize").flatMap(PixelSize.init(reading:))
    let renderScale = members.optional("renderScale").map { $0.number() } ?? 1
    let frameDuration = members.required("frameDuration")?.time()
    let instructions = members.required("instructions")?.array()
    let animation = members.optional("animation").flatMap {
      Animation(reading: $0, in: LayerScope(frame: renderSize))
    }
    self.init(
      renderSize: renderSize ?? PixelSize(width: 1920, height: 1080),
      renderScale: renderScale ?? 1,
      frameDuration: frameDuration ?? RenderLimits.usualFrameDuration,
      instructions: instructions?.map(Instruction.init(reading:)) ?? [],
      animation: animation)
  }
}

extension PixelSize {
  init?(reading node: JSONNode) {
    guard let members = node.object(["width", "height"]) else { return nil }
    let width = members.required("width")?.integer()
    let height = members.required("height")?.integer()
    guard let width, let height else { return nil }
    self.init(width: width, height: height)
  }
}

extension Instruction {
  fileprivate init(reading node: JSONNode) {
    self.init(timeRange: .nothing, layers: [])
    guard
      let members = node.object(
        ["timeRange", "backgroundColor", "enablePostProcessing", "layers"],
        later: ["requiredSourceTracks", "passthroughTrack"])
    else { return }
    let timeRange = members.required("timeRange")?.timeRange()
    let background = members.optional("backgroundColor").map(Color.init(reading:)) ?? .black
    let postProcessing = members.optional("enablePostProcessing").map { $0.bool() } ?? true
    let layers = members.required("layers")?.array()
    self.init(
      timeRange: timeRange ?? .nothing, backgroundColor: background ?? .black,
      enablePostProcessing: postProcessing ?? true,
      layers: layers?.map(LayerInstruction.init(reading:)) ?? [])
  }
}

extension LayerInstruction {
  fileprivate init(reading node: JSONNode) {
    self.init(track: 0)
    guard
      let members = node.object(
        ["track", "opacity", "transform", "crop", "backdrop", "mask"],
        later: ["blendMode", "filters"])
    else { return }
    let track = members.required("track")?.integer()
    let opacity = members.optional("opacity").map { Ramps(reading: $0) { $0.number() } } ?? Ramps()
    let transform =
      members.optional("transform")
      .map { Ramps(reading: $0, value: AffineTransform.init(reading:)) } ?? Ramps()
    let crop =
      members.optional("crop")
      .map { Ramps(reading: $0, value: PixelRect.init(reading:)) } ?? Ramps()
    let backdrop = members.optional("backdrop").map(Backdrop.init(reading:))
    let mask = members.optional("mask").map(Mask.init(reading:))
    self.init(
      track: track ?? 0, opacity: opacity ?? Ramps(), transform: transform ?? Ramps(),
      crop: crop ?? Ramps(), backdrop: backdrop ?? nil,
      mask: mask ?? nil)
  }
}

extension Ramps {
  /// Reads a list of steps and ramps. `value` reads a single value.
  init?(reading node: JSONNode, value: (JSONNode) -> Value?) {
    guard let pieces = node.array() else { return nil }
    self.init(pieces.compactMap { Piece(reading: $0, value: value) })
  }
}

extension Ramps.Piece {
  init?(reading node: JSONNode, value: (JSONNode) -> Value?) {
    guard case .object(let object) = node.value, object["timeRange"] != nil else {
      guard let members = node.object(["at", "value"]) else { return nil }
      let at = members.required("at")?.time()
      let value = members.required("value").flatMap(value)
      guard let at, let value else { return nil }
      self = .step(at: at, value: value)
      return
    }
    guard let members = node.object(["timeRange", "from", "to", "timingFunction"]) else {
      return nil
    }
    let timeRange = members.required("timeRange")?.timeRange()
    let from = members.required("from").flatMap(value)
    let to = members.required("to").flatMap(value)
    let timing =
      members.optional("timingFunction")
      .map { TimingFunction(reading: $0, names: TimingFunction.named) } ?? .linear
    guard let timeRange, let from, let to, let timing else { return nil }
    self = .ramp(timeRange: timeRange, from: from, to: to, timingFunction: timing)
  }
}

extension AffineTransform {
  /// Reads `[a, b, c, d, tx, ty]`.
  init?(reading node: JSONNode) {
    guard let elements = node.array() else { return nil }
    guard elements.count == 6 else {
      node.refuse(
        "a list of \(elements.count) values is not a transform", "use [a, b, c, d, tx, ty]")
      return nil
    }
    let numbers = elements.compactMap { $0.number() }
    guard numbers.count == 6 else { return nil }
    self.init(
      a: numbers[0], b: numbers[1], c: numbers[2], d: numbers[3], tx: numbers[4], ty: numbers[5])
  }
}

extension PixelRect {
  /// Reads `{"x", "y", "width", "height"}`.
  init?(reading node: JSONNode) {
    guard let members = node.object(["x", "y", "width", "height"]) else { return nil }
    let numbers = ["x", "y", "width", "height"].compactMap { members.required($0)?.number() }
    guard numbers.count == 4 else { return nil }
    self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }
}

extension Color {
  /// Reads `"#rrggbb"`.
  init?(reading node: JSONNode) {
    guard let text = node.string() else { return nil }
    guard let color = Color(text) else {
      node.refuse("\(node.value.shown) is not a color", "use the form \"#rrggbb\"")
      return nil
    }
    self = color
  }
}
