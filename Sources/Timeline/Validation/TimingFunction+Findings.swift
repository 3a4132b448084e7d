extension TimingFunction {
  /// Findings for control points beyond 0 to 1: across, time would run backwards; up, the ramp would overshoot.
  func findings(at path: String) -> [Finding] {
    guard case .cubicBezier(let x1, let y1, let x2, let y2) = self else { return [] }
    return [x1, y1, x2, y2].enumerated().compactMap { place, number in
      guard !(0...1).contains(number) else { return nil }
      let path = "\(path)[\(place)]"
      return place.isMultiple(of: 2)
        ? Finding(
          path: path, problem: "\(number) is no time of a control point", remedy: "give 0 to 1")
        : .unsupported(path, "a curve that overshoots (\(number))", remedy: "give 0 to 1")
    }
  }
}
