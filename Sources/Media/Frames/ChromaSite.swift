import CFFmpeg

/// The location of a chroma sample among its pixels, in 1/256 pixel from the center of the first one, as in libav's
/// scaler.
public struct ChromaSite: Hashable, Sendable {
  /// How far to the right.
  public var across: Int
  /// How far down, if chroma is subsampled vertically.
  public var down: Int

  /// A site from its two offsets.
  public init(across: Int, down: Int) { (self.across, self.down) = (across, down) }

  /// At the left, halfway between two rows: the default of video codecs.
  public static let left = ChromaSite(across: 0, down: 128)

  /// At the first pixel, as in many HDR files.
  public static let topLeft = ChromaSite(across: 0, down: 0)

  /// The locations that libav pictures can declare.
  private static let places: [(place: AVChromaLocation, site: ChromaSite)] = [
    (AVCHROMA_LOC_LEFT, .left), (AVCHROMA_LOC_CENTER, ChromaSite(across: 128, down: 128)),
    (AVCHROMA_LOC_TOPLEFT, .topLeft),
    (AVCHROMA_LOC_TOP, ChromaSite(across: 128, down: 0)),
    (AVCHROMA_LOC_BOTTOMLEFT, ChromaSite(across: 0, down: 256)),
    (AVCHROMA_LOC_BOTTOM, ChromaSite(across: 128, down: 256)),
  ]
}

extension Frame {
  /// The chroma location of a picture: the declared one, or left. A picture can declare only some locations; others are
  /// unspecified.
  package var chromaSite: ChromaSite {
    get {
      ChromaSite.of(pointer.pointee.chroma_location) ?? .left
    }
    set { pointer.pointee.chroma_location = newValue.place }
  }
}

extension ChromaSite {
  fileprivate static func of(_ place: AVChromaLocation) -> ChromaSite? {
    places.first { $0.place == place }?.site
  }

  fileprivate var place: AVChromaLocation {
    Self.places.first { $0.site == self }?.place ?? AVCHROMA_LOC_UNSPECIFIED
  }
}
