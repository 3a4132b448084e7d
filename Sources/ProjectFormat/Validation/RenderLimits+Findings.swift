import Timeline

extension RenderLimits {
  /// The finding for a number outside ``coordinates``.
  static func coordinateFinding(_ number: Double, at path: FindingPath) -> Finding {
    Finding(
      path: path, problem: "\(number) is out of range",
      remedy: "use a number from -1000000 to 1000000")
  }

  /// The finding for a speed outside ``speeds``; `nil` if the speed is valid.
  static func speedFinding(_ speed: RationalTime, shown: String? = nil, at path: FindingPath)
    -> Finding?
  {
    guard speed < speeds.slowest || speed > speeds.fastest else { return nil }
    return Finding(
      path: path, problem: "a speed of \(speed)\(shown.map { " (\($0))" } ?? "") is out of range",
      remedy: "use a speed from \(speeds.slowest) to \(speeds.fastest)")
  }

  /// The finding for a volume out of range; `nil` if the volume is valid.
  static func volumeFinding(_ volume: Double, at path: FindingPath) -> Finding? {
    guard !(0...greatestVolume).contains(volume) else { return nil }
    return Finding(
      path: path, problem: "\(volume) is out of range", remedy: "use a value from 0 to 1000")
  }
}
