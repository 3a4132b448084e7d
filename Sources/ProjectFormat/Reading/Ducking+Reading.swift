import Timeline

extension Ducking {
  /// Reads `true`, `false` (no ducking), or an object with the values that differ from the defaults.
  ///
  /// - Parameter naming: Whether the object may name the tracks to duck under.
  static func reading(_ node: JSONNode, naming: Bool) -> Ducking?? {
    if case .bool(let isOn) = node.value { return .some(isOn ? Ducking() : nil) }
    guard case .object = node.value else {
      node.refuse(
        "\(node.value.shown) is not a valid value",
        "use true, false, or an object with any of these keys: \"to\", \"threshold\", \"attack\", "
          + "\"hold\", \"release\"")
      return nil
    }
    let keys = ["to", "threshold", "attack", "hold", "release"] + (naming ? ["under"] : [])
    guard let members = node.object(keys) else { return nil }
    var ducking = Ducking()
    ducking.to = members.optional("to")?.number() ?? ducking.to
    ducking.threshold = members.optional("threshold")?.number() ?? ducking.threshold
    ducking.attack = members.optional("attack")?.time() ?? ducking.attack
    ducking.hold = members.optional("hold")?.time() ?? ducking.hold
    ducking.release = members.optional("release")?.time() ?? ducking.release
    if naming {
      ducking.under = members.optional("under")?.array()?.compactMap { $0.integer() }
    }
    return .some(ducking)
  }
}

extension Loudness {
  /// Reads a number of LUFS, or `{"target", "truePeak"}`.
  init?(reading node: JSONNode) {
    switch node.value {
    case .number, .string:
      guard let target = node.number() else { return nil }
      self.init(target: target)
    case .object:
      guard let members = node.object(["target", "truePeak"]) else { return nil }
      let target = members.required("target")?.number()
      let truePeak = members.optional("truePeak")?.number()
      guard let target else { return nil }
      self.init(target: target)
      self.truePeak = truePeak ?? self.truePeak
    default:
      node.refuse(
        "\(node.value.shown) is not a valid loudness",
        "use a number of LUFS such as -16, or {\"target\": -16, \"truePeak\": -1}")
      return nil
    }
  }
}
