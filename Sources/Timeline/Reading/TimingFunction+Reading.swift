extension TimingFunction {
  /// Reads the name of one of `names`, or `[x1, y1, x2, y2]`.
  init?(reading node: JSONNode, names: [(name: String, function: TimingFunction)]) {
    let remedy =
      "write one of \(names.map(\.name).joined(separator: ", ")), or [x1, y1, x2, y2]"
    switch node.value {
    case .string(let text):
      guard let function = names.first(where: { $0.name == text })?.function else {
        node.refuse("\(node.value.shown) is not known here", remedy)
        return nil
      }
      self = function
    case .array(let elements):
      guard elements.count == 4 else {
        node.refuse("a list of \(elements.count) is not a curve", remedy)
        return nil
      }
      let numbers = (node.array() ?? []).compactMap { $0.number() }
      guard numbers.count == 4 else { return nil }
      self = .cubicBezier(x1: numbers[0], y1: numbers[1], x2: numbers[2], y2: numbers[3])
    default:
      node.refuse("\(node.value.shown) is not a curve", remedy)
      return nil
    }
  }
}
