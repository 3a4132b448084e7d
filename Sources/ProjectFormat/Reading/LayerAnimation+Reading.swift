import Timeline

extension LayerAnimation {
  private enum CalculationMode: String, CaseIterable {
    case linear = "linear"
    case discrete = "discrete"
  }

  /// Reads a basic animation (`from`, `to`) or a keyframe animation (`values`).
  init?(reading node: JSONNode, in scope: LayerScope) {
    let keys = [
      "property", "from", "to", "values", "keyTimes", "timingFunctions", "calculationMode",
      "timingFunction", "beginTime", "duration", "repeatCount", "autoreverses", "fillMode",
    ]
    guard
      let members = node.object(
        keys,
        later: ["by", "path", "rotationMode", "additive", "cumulative", "speed", "timeOffset"]
      )
    else { return nil }
    let property = members.required("property")?.choice(
      of: Property.self,
      later: ["anchorPoint", "zPosition", "transform", "cornerRadius", "shadowOpacity"])
    let begin = members.optional("beginTime").map { $0.time() } ?? .zero
    let duration = members.required("duration")?.time()
    let timing = members.optional("timingFunction").map(Self.timing(reading:)) ?? .linear
    let count = members.optional("repeatCount").map(Self.repeatCount(reading:)) ?? 1
    let reverses = members.optional("autoreverses").map { $0.bool() } ?? false
    let fill = members.optional("fillMode").map { $0.choice(of: FillMode.self) } ?? .removed
    guard let property, let values = Self.values(reading: members, node, of: property, in: scope)
    else { return nil }
    let keyTimes = members.optional("keyTimes").map { $0.array()?.compactMap { $0.number() } }
    let functions = members.optional("timingFunctions")
      .map { $0.array()?.compactMap(Self.timing(reading:)) }
    let mode =
      members.optional("calculationMode")
      .map { $0.choice(of: CalculationMode.self, later: ["paced", "cubic", "cubicPaced"]) }
      ?? .linear
    guard let begin, let duration, let timing, let count, let reverses, let fill, let mode else {
      return nil
    }
    self.init(
      property, values: values, keyTimes: keyTimes ?? nil, timingFunctions: functions ?? nil,
      isDiscrete: mode == .discrete, timingFunction: timing, beginTime: begin, duration: duration,
      repeatCount: count, autoreverses: reverses, fillMode: fill)
  }

  private static func timing(reading node: JSONNode) -> TimingFunction? {
    TimingFunction(reading: node, names: TimingFunction.easings)
  }

  private static func repeatCount(reading node: JSONNode) -> Double? {
    if case .string("forever") = node.value { return .infinity }
    return node.number()
  }

  /// The values of a basic or a keyframe animation.
  private static func values(
    reading members: JSONMembers, _ node: JSONNode, of property: Property, in scope: LayerScope
  ) -> [LayerValue]? {
    let isBasic = members.optional("from") != nil || members.optional("to") != nil
    guard let list = members.optional("values") else {
      guard isBasic else {
        node.refuse(
          "the animation has neither \"from\" and \"to\" nor \"values\"", "add one or the other")
        return nil
      }
      for key in ["keyTimes", "timingFunctions", "calculationMode"] {
        guard let node = members.optional(key) else { continue }
        node.log.note(
          Finding(
            path: node.path,
            problem: "\"\(key)\" does not apply to an animation with \"from\" and \"to\"",
            remedy: "remove it, or use \"values\""))
      }
      let ends = ["from", "to"].map {
        members.required($0).flatMap { LayerValue(reading: $0, of: property, in: scope) }
      }
      guard let from = ends[0], let to = ends[1] else { return nil }
      return [from, to]
    }
    if isBasic {
      list.refuse(
        "\"values\" cannot be used together with \"from\" and \"to\"", "remove one or the other")
      return nil
    }
    return list.array()?.compactMap { LayerValue(reading: $0, of: property, in: scope) }
  }
}

extension LayerValue {
  fileprivate init?(
    reading node: JSONNode, of property: LayerAnimation.Property, in scope: LayerScope
  ) {
    let value: LayerValue? =
      switch property {
      case .position: LayerPoint(position: node, in: scope).map(LayerValue.point)
      case .scale: LayerPoint(readingScale: node).map(LayerValue.point)
      case .rotation, .opacity: node.number().map(LayerValue.number)
      case .bounds: PixelRect(bounds: node, in: scope).map(LayerValue.rect)
      case .color: Color(reading: node).map { .color(BlendedColor($0)) }
      }
    guard let value else { return nil }
    self = value
  }
}
