import Timeline

extension Animation {
  /// The problems of the layer tree that can be found without fonts and images.
  ///
  /// - Parameters:
  ///   - root: The path of the tree, e.g. `videoComposition.animation`.
  ///   - assets: The names of the project's assets.
  ///   - frameDuration: The frame duration of the output, if it is known.
  func findings(at root: FindingPath, assets: Set<String>, frameDuration: RationalTime?)
    -> [Finding]
  {
    var findings: [Finding] = []
    let layers = allLayers
    if layers.count > RenderLimits.layerCount {
      findings.append(
        Finding(
          path: "\(root).layers",
          problem: "there are \(layers.count) layers, more than the limit of"
            + " \(RenderLimits.layerCount)", remedy: "remove some"))
    }
    var video: FindingPath?
    for (path, layer) in layers {
      let path = path.place(in: root)
      findings += layer.findings(at: path, frameDuration: frameDuration)
      switch layer.content {
      case .image(let asset) where !assets.contains(asset):
        findings.append(.unknownAsset(asset, at: "\(path).asset", assets: assets))
      case .video:
        if track != nil {
          findings.append(
            Finding(
              path: "\(path).type",
              problem: "an animation with a \"track\" cannot have a video layer",
              remedy: "remove the layer or the \"track\""))
        }
        if let video {
          findings.append(
            Finding(
              path: "\(path).type", problem: "\(video) is already a video layer",
              remedy: "keep only one video layer"))
        }
        video = path
      default: break
      }
    }
    return findings
  }
}

extension AnimationLayer {
  fileprivate func findings(at path: FindingPath, frameDuration: RationalTime?) -> [Finding] {
    var numbers: [(FindingPath, Double)] = [
      ("anchorPoint.x", anchorPoint.x), ("anchorPoint.y", anchorPoint.y), ("scale.x", scale.x),
      ("scale.y", scale.y), ("rotation", rotation), ("zPosition", zPosition),
    ]
    if let position { numbers += [("position.x", position.x), ("position.y", position.y)] }
    numbers += transform.numbers.enumerated().map { ("transform[\($0)]", $1) }
    var findings = numbers.filter { !RenderLimits.coordinates.contains($0.1) }
      .map { RenderLimits.coordinateFinding($0.1, at: "\(path).\($0.0)") }
    if let bounds { findings += bounds.findings(asBoundsAt: "\(path).bounds") }
    if !(0...1).contains(opacity) {
      findings.append(
        Finding(
          path: "\(path).opacity", problem: "\(opacity) is out of range",
          remedy: "use a value from 0 to 1"))
    }
    findings += timeRange.map { $0.findings(at: "\(path).timeRange") } ?? []
    findings += contentFindings(at: path, frameDuration: frameDuration)
    for (number, animation) in animations.enumerated() {
      let path: FindingPath = "\(path).animations[\(number)]"
      findings += animation.findings(at: path)
      if animation.property == .color, content.soleColor == nil {
        findings.append(
          .unsupported(
            "\(path).property", "animating the color of this \(content.kind.rawValue)",
            remedy: "animate the color of a solid, a shape without a stroke, a timecode, or text"
              + " without an outline, a shadow or a plate"))
      }
      if animation.property == .bounds, bounds == nil, content.kind != .group,
        content.kind != .video
      {
        findings.append(
          Finding(
            path: "\(path).property", problem: "a layer without \"bounds\" cannot animate them",
            remedy: "add \"bounds\" to the layer"))
      }
    }
    return findings
  }

  private func contentFindings(at path: FindingPath, frameDuration: RationalTime?) -> [Finding] {
    switch content {
    case .image, .group, .video: return []
    case .text(let text): return text.findings(at: path)
    case .solid: return boundsFindings(at: path)
    case .shape(let shape): return boundsFindings(at: path) + shape.findings(at: path)
    case .timecode(let timecode):
      return timecode.findings(at: path, frameDuration: frameDuration)
    }
  }

  private func boundsFindings(at path: FindingPath) -> [Finding] {
    guard bounds == nil else { return [] }
    return [
      Finding(
        path: "\(path).bounds", problem: "a \(content.kind.rawValue) has no size of its own",
        remedy: "add \"bounds\"")
    ]
  }
}

extension PixelRect {
  fileprivate func findings(asBoundsAt path: FindingPath) -> [Finding] {
    if let number = [x, y, width, height].first(where: { !RenderLimits.coordinates.contains($0) }) {
      return [RenderLimits.coordinateFinding(number, at: path)]
    }
    guard !(width > 0 && height > 0) else { return [] }
    return [
      Finding(
        path: path, problem: "\(width) × \(height) is not a valid size for a layer",
        remedy: "use a width and a height greater than 0")
    ]
  }
}

extension TextContent {
  fileprivate func findings(at path: FindingPath) -> [Finding] {
    var findings = font.findings(at: "\(path).font")
    if text.utf8.count > RenderLimits.textLength || text.utf8.contains(0) || text.isEmpty {
      findings.append(
        Finding(
          path: "\(path).text",
          problem: text.isEmpty
            ? "the text is empty"
            : text.utf8.contains(0)
              ? "the text contains a NUL character"
              : "the text is too long (\(text.utf8.count) bytes)",
          remedy: "use 1 to \(RenderLimits.textLength) bytes of text"))
    }
    if let outline, !(outline.width > 0 && outline.width <= 1000) {
      findings.append(
        Finding(
          path: "\(path).outline.width", problem: "\(outline.width) is out of range",
          remedy: "use a number greater than 0 and at most 1000"))
    }
    if let shadow {
      if !(0...1).contains(shadow.opacity) {
        findings.append(
          Finding(
            path: "\(path).shadow.opacity", problem: "\(shadow.opacity) is out of range",
            remedy: "use a value from 0 to 1"))
      }
      if !(0...1000).contains(shadow.radius) {
        findings.append(
          Finding(
            path: "\(path).shadow.radius", problem: "\(shadow.radius) is out of range",
            remedy: "use a value from 0 to 1000"))
      }
      for (key, value) in [("x", shadow.offset.x), ("y", shadow.offset.y)]
      where !(abs(value) <= 10_000) {
        findings.append(
          Finding(
            path: "\(path).shadow.offset.\(key)", problem: "\(value) is out of range",
            remedy: "use a value from -10000 to 10000"))
      }
    }
    return findings + (plate?.findings(at: "\(path).plate") ?? [])
  }
}

extension LayerFont {
  fileprivate func findings(at path: FindingPath) -> [Finding] {
    var findings: [Finding] = []
    if family.isEmpty || family.contains(",") || family.utf8.contains(0) {
      findings.append(
        Finding(
          path: "\(path).family", problem: "\"\(family)\" is not a valid font family",
          remedy: "use the name of one installed family"))
    }
    if !(100...1000).contains(weight) {
      findings.append(
        Finding(
          path: "\(path).weight", problem: "\(weight) is out of range",
          remedy: "use a value from 100 to 1000"))
    }
    if !(size > 0 && size <= 10_000) {
      findings.append(
        Finding(
          path: "\(path).size", problem: "\(size) is out of range",
          remedy: "use a number of pixels greater than 0 and at most 10000"))
    }
    if !(abs(tracking) <= 1000) {
      findings.append(
        Finding(
          path: "\(path).tracking", problem: "\(tracking) is out of range",
          remedy: "use a value from -1000 to 1000"))
    }
    return findings
  }
}

extension ShapeContent {
  fileprivate func findings(at path: FindingPath) -> [Finding] {
    var findings: [Finding] = []
    if fill == nil, stroke == nil, gradient == nil {
      findings.append(
        Finding(
          path: path, problem: "the shape has neither a \"fillColor\" nor a \"strokeColor\"",
          remedy: "add one of them, or both"))
    }
    findings += gradient?.findings(at: "\(path).fillGradient") ?? []
    if let stroke, !(stroke.width > 0 && stroke.width <= 1000) {
      findings.append(
        Finding(
          path: "\(path).lineWidth", problem: "\(stroke.width) is out of range",
          remedy: "use a number greater than 0 and at most 1000"))
    }
    switch outline {
    case .rectangle(let radius) where !(radius >= 0 && radius <= 1_000_000):
      findings.append(
        Finding(
          path: "\(path).cornerRadius", problem: "\(radius) is out of range",
          remedy: "use a value from 0 to 1000000"))
    case .path(let text):
      if text.utf8.count > RenderLimits.textLength {
        findings.append(
          Finding(
            path: "\(path).path", problem: "the path has \(text.utf8.count) bytes",
            remedy: "use at most \(RenderLimits.textLength) bytes"))
      } else if let problem = PathSyntax(text).problem {
        findings.append(
          Finding(
            path: "\(path).path", problem: problem,
            remedy: "use SVG path data, e.g. \"M 0 0 L 100 0 L 50 80 Z\""))
      }
    default: break
    }
    return findings
  }
}

extension TimecodeContent {
  fileprivate func findings(at path: FindingPath, frameDuration: RationalTime?) -> [Finding] {
    let findings = font.findings(at: "\(path).font")
    let rate = frameRate ?? frameDuration.flatMap { try? RationalTime(1) / $0 }
    guard let rate else { return findings }
    guard let clock = TimecodeClock(frameRate: rate, dropsFrames: dropsFrames) else {
      let key =
        TimecodeClock(frameRate: rate, dropsFrames: false) == nil ? "frameRate" : "dropFrame"
      return findings + [
        Finding(
          path: "\(path).\(key)",
          problem: key == "dropFrame"
            ? "drop-frame timecode does not exist at \(rate) frames per second"
            : "timecode cannot count \(rate) frames per second",
          remedy: key == "dropFrame"
            ? "remove it, or set \"frameRate\" to \"30000/1001\" or \"60000/1001\""
            : "use 1 to 1000 frames per second")
      ]
    }
    guard clock.frame(called: start) == nil else { return findings }
    return findings + [
      Finding(
        path: "\(path).start",
        problem: "\"\(start)\" is not a valid timecode at \(rate) frames per second",
        remedy: "use \"HH:MM:SS:FF\" with FF below \(clock.nominalRate)")
    ]
  }
}

extension LayerAnimation {
  fileprivate func findings(at path: FindingPath) -> [Finding] {
    var findings: [Finding] = []
    if duration <= .zero {
      findings.append(TimeRange.lengthFinding(duration, at: "\(path).duration"))
    }
    if !(repeatCount > 0) {
      findings.append(
        Finding(
          path: "\(path).repeatCount", problem: "\(repeatCount) is out of range",
          remedy: "use a number greater than 0, or \"forever\""))
    }
    if values.isEmpty {
      findings.append(
        Finding(path: "\(path).values", problem: "the list is empty", remedy: "add a value"))
    }
    findings += timingFunction.findings(at: "\(path).timingFunction")
    for (number, function) in (timingFunctions ?? []).enumerated() {
      findings += function.findings(at: "\(path).timingFunctions[\(number)]")
    }
    let isBasic =
      values.count == 2 && keyTimes == nil && timingFunctions == nil && !isDiscrete
    for (number, value) in values.enumerated() {
      let place: FindingPath =
        isBasic ? "\(path).\(["from", "to"][number])" : "\(path).values[\(number)]"
      findings += valueFindings(value, at: place)
    }
    return findings + keyTimeFindings(at: path)
  }

  private func valueFindings(_ value: LayerValue, at path: FindingPath) -> [Finding] {
    switch value {
    case .number(let number) where property == .opacity:
      return (0...1).contains(number)
        ? []
        : [
          Finding(
            path: path, problem: "\(number) is out of range", remedy: "use a value from 0 to 1")
        ]
    case .number(let number):
      return RenderLimits.coordinates.contains(number)
        ? [] : [RenderLimits.coordinateFinding(number, at: path)]
    case .point(let point):
      return [point.x, point.y].filter { !RenderLimits.coordinates.contains($0) }
        .map { RenderLimits.coordinateFinding($0, at: path) }
    case .rect(let rect): return rect.findings(asBoundsAt: path)
    case .color: return []
    }
  }

  private func keyTimeFindings(at path: FindingPath) -> [Finding] {
    var findings: [Finding] = []
    if let functions = timingFunctions, functions.count != max(values.count - 1, 0) {
      findings.append(
        Finding(
          path: "\(path).timingFunctions",
          problem: "\(functions.count) functions do not match \(values.count) values",
          remedy: "use one for each step from one value to the next: \(max(values.count - 1, 0))"))
    }
    guard let keyTimes else { return findings }
    let wanted = isDiscrete ? values.count + 1 : values.count
    if keyTimes.count != wanted {
      findings.append(
        Finding(
          path: "\(path).keyTimes",
          problem: "\(keyTimes.count) times do not match \(values.count) values",
          remedy: "use \(wanted)"))
    }
    for (number, time) in keyTimes.enumerated() {
      let before = number > 0 ? keyTimes[number - 1] : 0
      guard !(time >= before && time <= 1) else { continue }
      findings.append(
        Finding(
          path: "\(path).keyTimes[\(number)]",
          problem: (0...1).contains(time)
            ? "\(time) comes before \(before)" : "\(time) is out of range",
          remedy: "use times from 0 to 1 in ascending order"))
    }
    if !keyTimes.isEmpty, keyTimes.first != 0 || (keyTimes.last != 1) {
      findings.append(
        Finding(
          path: "\(path).keyTimes", problem: "the times do not run from 0 to 1",
          remedy: "set the first to 0 and the last to 1"))
    }
    return findings
  }
}
