/// The limits on an output, with the reasons.
package enum RenderLimits {
  /// The sides of a picture, in pixels: what H.264 encoders take, from one macroblock on.
  static let sides = 16...16384
  /// The frame durations that are rendered, in seconds: a thousand frames a second to one in ten seconds.
  static let frameDurations = (shortest: thousandth, longest: RationalTime(10))
  /// The same limits in frames per second.
  static let frameRates = RationalTime.reciprocal(10)...RationalTime(1000)
  /// The frame duration where nothing says one, in seconds: 30 frames a second.
  package static let usualFrameDuration = RationalTime.reciprocal(30)
  /// The most output frames, some 92 hours at 30 a second: a plan is held in memory.
  static let frameCount: Int64 = 10_000_000
  /// The longest composition, in seconds, some 139 hours: its sound is mixed in one piece.
  static let longest = RationalTime(500_000)
  /// The most samples at a changed speed with the pitch kept, in and out: Rubber Band counts them in 32 bits.
  package static let stretchedSamples = Int64(UInt32.max)
  /// The speeds that are played, in seconds of the source a second: slower, a stretched sound is no longer exact.
  static let speeds = (slowest: RationalTime.reciprocal(20), fastest: RationalTime(100))
  /// The numbers of transforms and crops: far beyond any picture, and exact as pixels.
  static let coordinates = -1_000_000.0...1_000_000.0
  /// How far a curve's control points may lie up or down, in the lengths of its ramp.
  static let progress = -10.0...10.0
  /// The greatest volume, 60 dB.
  static let greatestVolume = 1000.0

  /// The most layers that an animation may have, and how deep they may be nested.
  static let layerCount = 1000
  static let layerDepth = 32
  /// The most bytes of a key of the project file, of an asset's name, and of a file's path or URL.
  package static let nameBytes = 4096
  /// The most bytes of a layer's text or path.
  static let textLength = 100_000

  /// The finding for a number outside ``coordinates``.
  static func coordinateFinding(_ number: Double, at path: String) -> Finding {
    Finding(
      path: path, problem: "\(number) is out of range",
      remedy: "give numbers from -1000000 to 1000000")
  }

  /// The finding for a speed outside ``speeds``, `nil` for one within.
  static func speedFinding(_ speed: RationalTime, shown: String? = nil, at path: String)
    -> Finding?
  {
    guard speed < speeds.slowest || speed > speeds.fastest else { return nil }
    return Finding(
      path: path, problem: "a speed of \(speed)\(shown.map { " (\($0))" } ?? "") cannot be played",
      remedy: "give a speed from \(speeds.slowest) to \(speeds.fastest)")
  }

  /// The finding for a volume that is none, `nil` for one within the limits.
  static func volumeFinding(_ volume: Double, at path: String) -> Finding? {
    guard !(0...greatestVolume).contains(volume) else { return nil }
    return Finding(path: path, problem: "\(volume) is no volume", remedy: "give 0 to 1000")
  }

  private static let thousandth = RationalTime.reciprocal(1000)
}

extension RationalTime {
  /// One part of `parts`, which is above zero, in seconds.
  static func reciprocal(_ parts: Int64) -> RationalTime {
    (try? RationalTime(1, parts)) ?? .zero
  }
}

extension PixelSize {
  /// Findings for a size that pictures are to be encoded in: even, as 4:2:0 needs, and within the limits.
  func findings(at path: String) -> [Finding] {
    [("width", width), ("height", height)].compactMap { side, pixels in
      let range = RenderLimits.sides
      guard !range.contains(pixels) || !pixels.isMultiple(of: 2) else { return nil }
      return Finding(
        path: "\(path).\(side)",
        problem: range.contains(pixels)
          ? "\(pixels) pixels is an odd number" : "\(pixels) pixels cannot be rendered",
        remedy: "give an even number from \(range.lowerBound) to \(range.upperBound)")
    }
  }
}
