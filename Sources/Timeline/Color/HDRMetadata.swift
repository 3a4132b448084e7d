/// The metadata of a stream about its mastering display and its brightest pictures (SMPTE ST 2086, CTA-861.3).
public struct HDRMetadata: Hashable, Codable, Sendable {
  /// The display that the pictures were graded on.
  public var masteringDisplay: MasteringDisplay?
  /// The light levels of the content.
  public var contentLight: ContentLight?

  /// Creates metadata from its parts. Returns `nil` if both are `nil`.
  public init?(masteringDisplay: MasteringDisplay?, contentLight: ContentLight?) {
    guard masteringDisplay != nil || contentLight != nil else { return nil }
    self.masteringDisplay = masteringDisplay
    self.contentLight = contentLight
  }
}

/// A point of the CIE 1931 chromaticity diagram, in the units of ST 2086, 1/50000.
public struct Chromaticity: Hashable, Codable, Sendable {
  /// x × 50000.
  public var x: Int
  /// y × 50000.
  public var y: Int

  /// Creates a point from its coordinates in 1/50000.
  public init(x: Int, y: Int) { (self.x, self.y) = (x, y) }
}

/// The mastering display's color volume.
public struct MasteringDisplay: Hashable, Codable, Sendable {
  /// The red primary.
  public var red: Chromaticity
  /// The green primary.
  public var green: Chromaticity
  /// The blue primary.
  public var blue: Chromaticity
  /// The white point.
  public var white: Chromaticity
  /// The minimum luminance, in 1/10000 cd/m².
  public var leastLuminance: Int
  /// The maximum luminance, in 1/10000 cd/m².
  public var greatestLuminance: Int

  /// Creates a display.
  public init(
    red: Chromaticity, green: Chromaticity, blue: Chromaticity, white: Chromaticity,
    leastLuminance: Int, greatestLuminance: Int
  ) {
    (self.red, self.green, self.blue, self.white) = (red, green, blue, white)
    self.leastLuminance = leastLuminance
    self.greatestLuminance = greatestLuminance
  }
}

/// Light levels in cd/m². 0 means unknown.
public struct ContentLight: Hashable, Codable, Sendable {
  /// MaxCLL: the level of the brightest pixel in the stream.
  public var greatest: Int
  /// MaxFALL: the highest frame average.
  public var greatestMean: Int

  /// Creates levels in cd/m².
  public init(greatest: Int, greatestMean: Int) {
    self.greatest = greatest
    self.greatestMean = greatestMean
  }
}

extension HDRMetadata {
  /// Combines the metadata of several sources: the brightest display and the highest levels.
  public static func joined(_ sources: [HDRMetadata]) -> HDRMetadata? {
    let displays = sources.compactMap(\.masteringDisplay)
    let lights = sources.compactMap(\.contentLight)
    return HDRMetadata(
      masteringDisplay: displays.dropFirst().reduce(displays.first) { brightest, display in
        (brightest?.greatestLuminance ?? 0) < display.greatestLuminance ? display : brightest
      },
      contentLight: lights.isEmpty
        ? nil
        : ContentLight(
          greatest: lights.map(\.greatest).max() ?? 0,
          greatestMean: lights.map(\.greatestMean).max() ?? 0))
  }
}
