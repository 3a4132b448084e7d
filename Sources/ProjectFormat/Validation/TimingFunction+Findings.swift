import Timeline

extension TimingFunction {
  /// The findings for control points out of range. Time would run backwards if it were not from 0 to 1.
  func findings(at path: FindingPath) -> [Finding] {
    guard case .cubicBezier(let x1, let y1, let x2, let y2) = self else { return [] }
    return [x1, y1, x2, y2].enumerated().compactMap { place, number in
      let isTime = place.isMultiple(of: 2)
      guard !(isTime ? 0...1 : RenderLimits.progress).contains(number) else { return nil }
      let path: FindingPath = "\(path)[\(place)]"
      return isTime
        ? Finding(
          path: path, problem: "the time of a control point, \(number), is out of range",
          remedy: "use a value from 0 to 1")
        : Finding(
          path: path, problem: "the progress of a control point, \(number), is out of range",
          remedy: "use a value from -10 to 10")
    }
  }
}
