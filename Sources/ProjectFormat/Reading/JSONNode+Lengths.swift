import Timeline

extension JSONNode {
  /// A length in pixels: a number, or a text with relative terms.
  func length(_ kind: LayerScope.Kind, in scope: LayerScope) -> Double? {
    switch value {
    case .number: return number()
    case .string(let text):
      if let exact = try? RationalTime(text) { return exact.seconds }
      guard let length = LayerLength(text) else { break }
      do throws(TimeError) {
        if let pixels = try scope.pixels(of: length, kind) { return pixels }
        refuse(
          "\(value.shown) refers to a font size, and there is none",
          "use \"%\", \"vmin\" or pixels here")
      } catch {
        refuse("\(value.shown) is too long or too precise", "use a simpler length")
      }
      return nil
    default: break
    }
    refuse("\(value.shown) is not a length", LayerLength.form)
    return nil
  }
}

extension LayerPoint {
  /// Reads a position: `{"x": …, "y": …}`.
  init?(position node: JSONNode, in scope: LayerScope) {
    self.init(reading: node, x: .x, y: .y, in: scope)
  }

  /// Reads a point whose coordinates are lengths of two kinds.
  init?(reading node: JSONNode, x: LayerScope.Kind, y: LayerScope.Kind, in scope: LayerScope) {
    guard let members = node.object(["x", "y"]) else { return nil }
    let across = members.required("x")?.length(x, in: scope)
    let down = members.required("y")?.length(y, in: scope)
    guard let across, let down else { return nil }
    self.init(x: across, y: down)
  }
}

extension PixelRect {
  /// Reads the bounds of a layer: `{"x", "y", "width", "height"}`.
  init?(bounds node: JSONNode, in scope: LayerScope) {
    guard let members = node.object(["x", "y", "width", "height"]) else { return nil }
    let kinds: [(String, LayerScope.Kind)] = [
      ("x", .across), ("y", .down), ("width", .width), ("height", .height),
    ]
    let numbers = kinds.compactMap { members.required($0)?.length($1, in: scope) }
    guard numbers.count == 4 else { return nil }
    self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }
}

extension JSONValue {
  /// The animation that the value describes, in a frame; `nil` if there is none. Findings are those of an earlier
  /// reading, and are dropped.
  func animation(in frame: PixelSize) -> Animation? {
    let node = JSONNode(path: "animation", value: self, log: FindingLog())
    return Animation(reading: node, in: LayerScope(frame: frame))
  }

  /// Whether the value contains a text that may be a relative length.
  var mayBeRelative: Bool {
    switch self {
    case .string(let text): LayerLength(text)?.isRelative ?? false
    case .array(let elements): elements.contains(where: \.mayBeRelative)
    case .object(let object): object.keys.contains { object[$0]?.mayBeRelative ?? false }
    case .number, .bool, .null: false
    }
  }
}
