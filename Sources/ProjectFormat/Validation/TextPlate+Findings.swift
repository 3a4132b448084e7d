import Timeline

extension TextPlate {
  /// The problems of the plate.
  func findings(at path: FindingPath) -> [Finding] {
    let values: [(FindingPath, Double, Double)] = [
      ("opacity", opacity, 1), ("padding.x", padding.x, 10_000), ("padding.y", padding.y, 10_000),
      ("cornerRadius", cornerRadius, 10_000),
    ]
    return values.filter { !(0...$2).contains($1) }.map { key, value, limit in
      Finding(
        path: "\(path).\(key)", problem: "\(value) is out of range",
        remedy: "use a value from 0 to \(Int(limit))")
    }
  }
}
