import Timeline

extension ShapeGradient {
  /// The problems of the gradient.
  func findings(at path: FindingPath) -> [Finding] {
    guard (2...32).contains(stops.count) else {
      return [
        Finding(
          path: "\(path).stops", problem: "\(stops.count) is not a valid number of stops",
          remedy: "use 2 to 32 stops")
      ]
    }
    return stops.enumerated().flatMap { number, stop in
      let earliest = number == 0 ? 0 : stops[number - 1].place
      let path: FindingPath = "\(path).stops[\(number)]"
      var findings: [Finding] = []
      if !(0...1).contains(stop.opacity) {
        findings.append(
          Finding(
            path: "\(path).opacity", problem: "\(stop.opacity) is out of range",
            remedy: "use a value from 0 to 1"))
      }
      if !(stop.place >= earliest && stop.place <= 1) {
        findings.append(
          Finding(
            path: "\(path).at", problem: "\(stop.place) is out of order",
            remedy: "use places from 0 to 1 in ascending order"))
      }
      return findings
    }
  }
}
