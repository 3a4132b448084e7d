import Timeline

extension PixelSize {
  /// The findings for the size of encoded pictures: even, as 4:2:0 requires, and within the limits.
  func findings(at path: FindingPath) -> [Finding] {
    [("width", width), ("height", height)].compactMap { side, pixels in
      let range = RenderLimits.sides
      guard !range.contains(pixels) || !pixels.isMultiple(of: 2) else { return nil }
      return Finding(
        path: "\(path).\(side)",
        problem: range.contains(pixels)
          ? "\(pixels) is an odd number" : "\(pixels) pixels cannot be rendered",
        remedy: "use an even number from \(range.lowerBound) to \(range.upperBound)")
    }
  }
}
