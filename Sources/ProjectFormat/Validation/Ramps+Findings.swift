import Timeline

extension Ramps {
  /// The findings for the times and values of the pieces.
  ///
  /// - Parameters:
  ///   - path: The path of the list of pieces.
  ///   - value: Returns the finding for a value at a path, or `nil` if the value is valid.
  func findings(at path: FindingPath, value: (Value, FindingPath) -> Finding?) -> [Finding] {
    var findings: [Finding] = []
    for (index, piece) in pieces.enumerated() {
      let path: FindingPath = "\(path)[\(index)]"
      switch piece {
      case .step(_, let stepped):
        findings += [value(stepped, "\(path).value")].compactMap(\.self)
      case .ramp(let range, let from, let to, let timing):
        if range.duration <= .zero {
          findings.append(TimeRange.lengthFinding(range.duration, at: "\(path).timeRange.duration"))
        }
        findings += [value(from, "\(path).from"), value(to, "\(path).to")].compactMap(\.self)
        findings += timing.findings(at: "\(path).timingFunction")
      }
      if index > 0, let finding = orderFinding(pieces[index - 1], piece, at: path) {
        findings.append(finding)
      }
    }
    return findings
  }

  private func orderFinding(_ earlier: Piece, _ later: Piece, at path: FindingPath) -> Finding? {
    let time: FindingPath =
      switch later {
      case .step: "\(path).at"
      case .ramp: "\(path).timeRange.start"
      }
    if later.start < earlier.start {
      return Finding(
        path: time, problem: "\(later.start) is earlier than \(earlier.start), which precedes it",
        remedy: "list steps and ramps in chronological order")
    }
    guard case .ramp(let range, _, _, _) = earlier, later.start < range.end else { return nil }
    return Finding(
      path: time, problem: "\(later.start) is within the ramp over \(range.shown)",
      remedy: "start at \(range.end) or later")
  }
}

extension Ramps<AffineTransform> {
  /// The findings for times and for numbers out of range. Any transform is valid: one without an inverse shows nothing.
  func findings(at path: FindingPath) -> [Finding] {
    findings(at: path) { transform, path in
      guard let number = transform.numbers.first(where: { !RenderLimits.coordinates.contains($0) })
      else { return nil }
      return RenderLimits.coordinateFinding(number, at: path)
    }
  }
}

extension Ramps<PixelRect> {
  /// The findings for times, for numbers out of range and for negative sides.
  func findings(at path: FindingPath) -> [Finding] {
    findings(at: path) { crop, path in
      let numbers = [crop.x, crop.y, crop.width, crop.height]
      if let number = numbers.first(where: { !RenderLimits.coordinates.contains($0) }) {
        return RenderLimits.coordinateFinding(number, at: path)
      }
      guard crop.width < 0 || crop.height < 0 else { return nil }
      return Finding(
        path: path, problem: "\(crop.width) × \(crop.height) is not a valid size for a crop",
        remedy: "use a width and a height of 0 or more")
    }
  }
}
