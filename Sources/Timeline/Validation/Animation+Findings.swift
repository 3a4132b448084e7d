extension Animation {
  /// The problems of the layer tree that can be found without fonts and pictures.
  ///
  /// - Parameters:
  ///   - root: where the tree is, e.g. `videoComposition.animation`.
  ///   - assets: the names of the project's assets.
  ///   - frameDuration: the output's, where it is known.
  func findings(at root: String, assets: Set<String>, frameDuration: RationalTime?) -> [Finding] {
    var findings: [Finding] = []
    let layers = allLayers
    if layers.count > RenderLimits.layerCount {
      findings.append(
        Finding(
          path: "\(root).layers", problem: "\(layers.count) layers are too many",
          remedy: "give at most \(RenderLimits.layerCount)"))
    }
    var video: String?
    for (path, layer) in layers {
      let path = root + path.numbers.map { ".layers[\($0)]" }.joined()
      findings += layer.findings(at: path, frameDuration: frameDuration)
      switch layer.content {
      case .image(let asset) where !assets.contains(asset):
        findings.append(.unknownAsset(asset, at: "\(path).asset", assets: assets))
      case .video:
        if track != nil {
          findings.append(
            Finding(
              path: "\(path).type", problem: "a tree with a \"track\" has no video inside",
              remedy: "leave out the layer, or the \"track\""))
        }
        if let video {
          findings.append(
            Finding(
              path: "\(path).type", problem: "\(video) is the video already",
              remedy: "keep one layer for the video"))
        }
        video = path
      default: break
      }
    }
    return findings
  }
}

extension AnimationLayer {
  fileprivate func findings(at path: String, frameDuration: RationalTime?) -> [Finding] {
    var numbers: [(String, Double)] = [
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
          path: "\(path).opacity", problem: "\(opacity) is no opacity", remedy: "give 0 to 1"))
    }
    findings += timeRange.map { $0.findings(at: "\(path).timeRange") } ?? []
    findings += contentFindings(at: path, frameDuration: frameDuration)
    for (number, animation) in animations.enumerated() {
      let path = "\(path).animations[\(number)]"
      findings += animation.findings(at: path)
      if animation.property == .color, content.soleColor == nil {
        findings.append(
          .unsupported(
            "\(path).property", "an animation of the color of this \(content.kind.rawValue)",
            remedy:
              "animate the color of a solid, a shape without a line, a time code, or text without outline and shadow"
          ))
      }
      if animation.property == .bounds, bounds == nil, content.kind != .group,
        content.kind != .video
      {
        findings.append(
          Finding(
            path: "\(path).property", problem: "the layer has no bounds of its own to begin with",
            remedy: "give it \"bounds\""))
      }
    }
    return findings
  }

  private func contentFindings(at path: String, frameDuration: RationalTime?) -> [Finding] {
    switch content {
    case .image, .group, .video: return []
    case .text(let text): return text.findings(at: path)
    case .solid: return boundsFindings(at: path)
    case .shape(let shape): return boundsFindings(at: path) + shape.findings(at: path)
    case .timecode(let timecode):
      return timecode.findings(at: path, frameDuration: frameDuration)
    }
  }

  private func boundsFindings(at path: String) -> [Finding] {
    guard bounds == nil else { return [] }
    return [
      Finding(
        path: "\(path).bounds", problem: "a \(content.kind.rawValue) has no size of its own",
        remedy: "give it \"bounds\"")
    ]
  }
}

extension PixelRect {
  fileprivate func findings(asBoundsAt path: String) -> [Finding] {
    if let number = [x, y, width, height].first(where: { !RenderLimits.coordinates.contains($0) }) {
      return [RenderLimits.coordinateFinding(number, at: path)]
    }
    guard !(width > 0 && height > 0) else { return [] }
    return [
      Finding(
        path: path, problem: "\(width) × \(height) is no size of a layer",
        remedy: "give sides above 0")
    ]
  }
}

extension TextContent {
  fileprivate func findings(at path: String) -> [Finding] {
    var findings = font.findings(at: "\(path).font")
    if text.utf8.count > RenderLimits.textLength || text.utf8.contains(0) || text.isEmpty {
      findings.append(
        Finding(
          path: "\(path).text",
          problem: text.isEmpty
            ? "there is no text"
            : text.utf8.contains(0)
              ? "the text holds a NUL" : "\(text.utf8.count) bytes of text are too many",
          remedy: "give 1 to \(RenderLimits.textLength) bytes of text"))
    }
    if let outline, !(outline.width > 0 && outline.width <= 1000) {
      findings.append(
        Finding(
          path: "\(path).outline.width", problem: "\(outline.width) is no width of an outline",
          remedy: "give a number above 0, at most 1000"))
    }
    if let shadow {
      if !(0...1).contains(shadow.opacity) {
        findings.append(
          Finding(
            path: "\(path).shadow.opacity", problem: "\(shadow.opacity) is no opacity",
            remedy: "give 0 to 1"))
      }
      if !(0...1000).contains(shadow.radius) {
        findings.append(
          Finding(
            path: "\(path).shadow.radius", problem: "\(shadow.radius) is no radius",
            remedy: "give 0 to 1000"))
      }
      for (key, value) in [("x", shadow.offset.x), ("y", shadow.offset.y)]
      where !(abs(value) <= 10_000) {
        findings.append(
          Finding(
            path: "\(path).shadow.offset.\(key)", problem: "\(value) is out of range",
            remedy: "give -10000 to 10000"))
      }
    }
    return findings
  }
}

extension LayerFont {
  fileprivate func findings(at path: String) -> [Finding] {
    var findings: [Finding] = []
    if family.isEmpty || family.contains(",") || family.utf8.contains(0) {
      findings.append(
        Finding(
          path: "\(path).family", problem: "\"\(family)\" is not the name of one family",
          remedy: "name one that is installed"))
    }
    if !(100...1000).contains(weight) {
      findings.append(
        Finding(
          path: "\(path).weight", problem: "\(weight) is no weight", remedy: "give 100 to 1000"))
    }
    if !(size > 0 && size <= 10_000) {
      findings.append(
        Finding(
          path: "\(path).size", problem: "\(size) is no size of a font",
          remedy: "give a number of pixels above 0, at most 10000"))
    }
    return findings
  }
}

extension ShapeContent {
  fileprivate func findings(at path: String) -> [Finding] {
    var findings: [Finding] = []
    if fill == nil, stroke == nil {
      findings.append(
        Finding(
          path: path, problem: "the shape has neither a \"fillColor\" nor a \"strokeColor\"",
          remedy: "give it one of them, or both"))
    }
    if let stroke, !(stroke.width > 0 && stroke.width <= 1000) {
      findings.append(
        Finding(
          path: "\(path).lineWidth", problem: "\(stroke.width) is no width of a line",
          remedy: "give a number above 0, at most 1000"))
    }
    switch outline {
    case .rectangle(let radius) where !(radius >= 0 && radius <= 1_000_000):
      findings.append(
        Finding(
          path: "\(path).cornerRadius", problem: "\(radius) is no radius",
          remedy: "give 0 or more"))
    case .path(let text):
      if text.utf8.count > RenderLimits.textLength {
        findings.append(
          Finding(
            path: "\(path).path", problem: "\(text.utf8.count) bytes of path are too many",
            remedy: "give at most \(RenderLimits.textLength)"))
      } else if let problem = PathSyntax(text).problem {
        findings.append(
          Finding(
            path: "\(path).path", problem: problem,
            remedy: "write it as SVG's path data, e.g. \"M 0 0 L 100 0 L 50 80 Z\""))
      }
    default: break
    }
    return findings
  }
}

extension TimecodeContent {
  fileprivate func findings(at path: String, frameDuration: RationalTime?) -> [Finding] {
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
            ? "\(rate) frames a second drop no numbers" : "\(rate) is no rate of a time code",
          remedy: key == "dropFrame"
            ? "leave it out, or give a frameRate of \"30000/1001\" or \"60000/1001\""
            : "give 1 to 1000 frames a second")
      ]
    }
    guard clock.frame(called: start) == nil else { return findings }
    return findings + [
      Finding(
        path: "\(path).start", problem: "\"\(start)\" is no time code of \(rate) frames a second",
        remedy: "write \"HH:MM:SS:FF\" with frames below \(clock.nominalRate)")
    ]
  }
}

extension LayerAnimation {
  fileprivate func findings(at path: String) -> [Finding] {
    var findings: [Finding] = []
    if duration <= .zero {
      findings.append(TimeRange.lengthFinding(duration, at: "\(path).duration"))
    }
    if !(repeatCount > 0) {
      findings.append(
        Finding(
          path: "\(path).repeatCount", problem: "\(repeatCount) is no count",
          remedy: "give a number above 0, or \"forever\""))
    }
    if values.isEmpty {
      findings.append(
        Finding(path: "\(path).values", problem: "there is no value", remedy: "give one or more"))
    }
    findings += timingFunction.findings(at: "\(path).timingFunction")
    for (number, function) in (timingFunctions ?? []).enumerated() {
      findings += function.findings(at: "\(path).timingFunctions[\(number)]")
    }
    let isBasic =
      values.count == 2 && keyTimes == nil && timingFunctions == nil && !isDiscrete
    for (number, value) in values.enumerated() {
      let place = isBasic ? "\(path).\(["from", "to"][number])" : "\(path).values[\(number)]"
      findings += valueFindings(value, at: place)
    }
    return findings + keyTimeFindings(at: path)
  }

  private func valueFindings(_ value: LayerValue, at path: String) -> [Finding] {
    switch value {
    case .number(let number) where property == .opacity:
      return (0...1).contains(number)
        ? [] : [Finding(path: path, problem: "\(number) is no opacity", remedy: "give 0 to 1")]
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

  private func keyTimeFindings(at path: String) -> [Finding] {
    var findings: [Finding] = []
    if let functions = timingFunctions, functions.count != max(values.count - 1, 0) {
      findings.append(
        Finding(
          path: "\(path).timingFunctions",
          problem: "\(functions.count) functions do not fit \(values.count) values",
          remedy: "give one for each stretch between two values: \(max(values.count - 1, 0))"))
    }
    guard let keyTimes else { return findings }
    let wanted = isDiscrete ? values.count + 1 : values.count
    if keyTimes.count != wanted {
      findings.append(
        Finding(
          path: "\(path).keyTimes",
          problem: "\(keyTimes.count) times do not fit \(values.count) values",
          remedy: "give \(wanted)"))
    }
    for (number, time) in keyTimes.enumerated() {
      let before = number > 0 ? keyTimes[number - 1] : 0
      guard !(time >= before && time <= 1) else { continue }
      findings.append(
        Finding(
          path: "\(path).keyTimes[\(number)]",
          problem: (0...1).contains(time)
            ? "\(time) comes before \(before)" : "\(time) is not from 0 to 1",
          remedy: "give times from 0 to 1 in order"))
    }
    if !keyTimes.isEmpty, keyTimes.first != 0 || (keyTimes.last != 1) {
      findings.append(
        Finding(
          path: "\(path).keyTimes", problem: "the times do not go from 0 to 1",
          remedy: "let the first be 0 and the last 1"))
    }
    return findings
  }
}
