extension TimingFunction {
  /// Findings for control points out of range: across, beyond 0 to 1, time would run backwards.
  func findings(at path: String) -> [Finding] {
    guard case .cubicBezier(let x1, let y1, let x2, let y2) = self else { return [] }
    return [x1, y1, x2, y2].enumerated().compactMap { place, number in
      let isTime = place.isMultiple(of: 2)
      guard !(isTime ? 0...1 : RenderLimits.progress).contains(number) else { return nil }
      let path = "\(path)[\(place)]"
      return isTime
        ? Finding(
          path: path, problem: "\(number) is no time of a control point", remedy: "give 0 to 1")
        : Finding(
          path: path, problem: "\(number) overshoots out of any picture",
          remedy: "give -10 to 10")
    }
  }
}
