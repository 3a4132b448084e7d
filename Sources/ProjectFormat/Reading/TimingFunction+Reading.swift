import Timeline

extension TimingFunction {
  /// Reads one of `names`, or `[x1, y1, x2, y2]`.
  init?(reading node: JSONNode, names: [(name: String, function: TimingFunction)]) {
    let remedy =
      "use one of \(names.map(\.name).joined(separator: ", ")), or [x1, y1, x2, y2]"
    switch node.value {
    case .string(let text):
      guard let function = names.first(where: { $0.name == text })?.function else {
        node.refuse("\(node.value.shown) is not a valid curve", remedy)
        return nil
      }
      self = function
    case .array(let elements):
      guard elements.count == 4 else {
        node.refuse("a list of \(elements.count) values is not a valid curve", remedy)
        return nil
      }
      let numbers = (node.array() ?? []).compactMap { $0.number() }
      guard numbers.count == 4 else { return nil }
      self = .cubicBezier(x1: numbers[0], y1: numbers[1], x2: numbers[2], y2: numbers[3])
    default:
      node.refuse("\(node.value.shown) is not a valid curve", remedy)
      return nil
    }
  }
}
