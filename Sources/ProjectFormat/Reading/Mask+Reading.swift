import Timeline

extension Mask {
  /// The names of shapes.
  private enum Name: String, CaseIterable {
    case circle = "circle"
    case clock = "clock"
    case edge = "edge"
  }

  /// Reads `{"shape": …}` or `{"map": …}` with `softness` and `progress`.
  init?(reading node: JSONNode) {
    guard let members = node.object(["shape", "direction", "map", "softness", "progress"]) else {
      return nil
    }
    let softness = members.optional("softness").map { $0.number() } ?? 0
    let progress =
      members.optional("progress").map { Ramps(reading: $0) { $0.number() } } ?? Ramps()
    let shape = Self.shape(members, at: node)
    guard let shape, let softness, let progress else { return nil }
    self.init(shape: shape, softness: softness, progress: progress)
  }

  private static func shape(_ members: JSONMembers, at node: JSONNode) -> Shape? {
    let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
    switch (members.optional("shape"), members.optional("map")) {
    case (let shape?, nil):
      guard let name = shape.choice(of: Name.self) else { return nil }
      if name != .edge { members.refuseDirection(of: "a \(name.rawValue)") }
      switch name {
      case .circle: return .circle
      case .clock: return .clock
      case .edge:
        let direction = members.required("direction")?
          .choice(of: MotionDirection.self)
        return direction.map { .edge($0) }
      }
    case (nil, let map?):
      members.refuseDirection(of: "a map")
      return map.string().map { .map(asset: $0) }
    case (nil, nil):
      node.refuse(
        "\"shape\" or \"map\" is missing",
        "add a shape (\(names)), or the name of an asset as \"map\"")
      return nil
    case (.some, .some):
      node.refuse("\"shape\" and \"map\" cannot be used together", "remove one of them")
      return nil
    }
  }
}

extension JSONMembers {
  fileprivate func refuseDirection(of what: String) {
    guard let node = optional("direction") else { return }
    node.log.note(
      Finding(
        path: node.path, problem: "\"direction\" does not apply to \(what)", remedy: "remove it"))
  }
}

extension Backdrop {
  /// Reads `{"rect": {…}, "blur": σ}` or `{"rect": {…}, "color": "#rrggbb"}`.
  init?(reading node: JSONNode) {
    guard let members = node.object(["rect", "blur", "color"]) else { return nil }
    let rect = members.required("rect").flatMap(PixelRect.init(reading:))
    let fill: Fill?
    switch (members.optional("blur"), members.optional("color")) {
    case (let blur?, nil): fill = blur.number().map { .blur(sigma: $0) }
    case (nil, let color?): fill = Color(reading: color).map { .color($0) }
    case (nil, nil):
      node.refuse(
        "\"blur\" or \"color\" is missing",
        "add a \"blur\" (its standard deviation in pixels) or a \"color\"")
      fill = nil
    case (.some, .some):
      node.refuse("\"blur\" and \"color\" cannot be used together", "remove one of them")
      fill = nil
    }
    guard let rect, let fill else { return nil }
    self.init(rect: rect, fill: fill)
  }
}
