/// A stream's metadata about its mastering display and its brightest pictures (SMPTE ST 2086, CTA-861.3).
public struct HDRMetadata: Hashable, Codable, Sendable {
  /// The display that the pictures were graded on.
  public var masteringDisplay: MasteringDisplay?
  /// How bright the pictures become.
  public var contentLight: ContentLight?

  /// Metadata from their parts; `nil` if there is neither.
  public init?(masteringDisplay: MasteringDisplay?, contentLight: ContentLight?) {
    guard masteringDisplay != nil || contentLight != nil else { return nil }
    self.masteringDisplay = masteringDisplay
    self.contentLight = contentLight
  }
}

/// A point of the CIE 1931 chromaticity diagram, in units of 1/50000 as ST 2086 is coded.
public struct Chromaticity: Hashable, Codable, Sendable {
  /// x × 50000.
  public var x: Int
  /// y × 50000.
  public var y: Int

  /// A point from its coordinates in 1/50000.
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
  /// The least luminance, in 1/10000 cd/m².
  public var leastLuminance: Int
  /// The greatest luminance, in 1/10000 cd/m².
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

/// Light levels in cd/m²; 0 where unknown.
public struct ContentLight: Hashable, Codable, Sendable {
  /// MaxCLL: the brightest pixel of any picture.
  public var greatest: Int
  /// MaxFALL: the highest mean of a picture.
  public var greatestMean: Int

  /// Levels from their numbers, in cd/m².
  public init(greatest: Int, greatestMean: Int) {
    self.greatest = greatest
    self.greatestMean = greatestMean
  }
}

extension HDRMetadata {
  /// The metadata of several sources together: their brightest display and highest levels.
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
