import Timeline

extension VideoSettings.CleanAperture {
  /// The greatest denominator: files store fractions of 32-bit numbers.
  private static let greatestDenominator: Int64 = 1000

  /// The problems that do not depend on the output's size.
  func findings(at path: FindingPath) -> [Finding] {
    let values = [
      ("width", width), ("height", height), ("horizontalOffset", horizontalOffset),
      ("verticalOffset", verticalOffset),
    ]
    return values.compactMap { key, value in
      let isSide = key == "width" || key == "height"
      if isSide, value <= .zero {
        return Finding(
          path: "\(path).\(key)", problem: "\(value) is not a valid \(key)",
          remedy: "use a value greater than 0")
      }
      guard value.denominator > Self.greatestDenominator else { return nil }
      return Finding(
        path: "\(path).\(key)", problem: "the denominator of \(value) is too large",
        remedy: "use a denominator of at most \(Self.greatestDenominator)")
    }
  }

  /// The problems of an aperture that extends beyond an output of the given size.
  fileprivate func findings(in size: PixelSize, at path: FindingPath) -> [Finding] {
    let axes = [
      ("width", width, "horizontalOffset", horizontalOffset, size.width),
      ("height", height, "verticalOffset", verticalOffset, size.height),
    ]
    return axes.compactMap { side, length, offsetKey, offset, whole in
      let whole = RationalTime(Int64(whole))
      guard length > .zero, length.denominator <= Self.greatestDenominator else { return nil }
      guard length <= whole, let room = try? (whole - length) / RationalTime(2),
        let opposite = try? .zero - room
      else {
        return Finding(
          path: "\(path).\(side)",
          problem: "a \(side) of \(length) does not fit in the output, \(size)",
          remedy: "use at most \(whole)")
      }
      guard offset < opposite || offset > room else { return nil }
      return Finding(
        path: "\(path).\(offsetKey)",
        problem: "a \(side) of \(length) with an offset of \(offset) extends beyond the output,"
          + " \(size)",
        remedy: room == .zero ? "use 0" : "use a value from \(opposite) to \(room)")
    }
  }
}

extension ExportSettings {
  /// The problems of a clean aperture that extends beyond an output of the given size in pixels.
  package func apertureFindings(in size: PixelSize) -> [Finding] {
    guard !isAudioOnly, !isPassthrough else { return [] }
    return video.cleanAperture?.findings(in: size, at: "export.video.cleanAperture") ?? []
  }
}
