/// Tracks that play together.
public struct Composition: Encodable, Sendable {
  /// The tracks, with distinct ids.
  public var tracks: [Track] { didSet { usedTrackIDs.formUnion(tracks.lazy.map(\.id)) } }
  /// All ids that tracks of this value have ever had, so that ``addTrack(mediaType:preferredID:)`` never reuses one.
  ///
  /// They are not part of the composition's content: they are neither compared nor written to a file.
  private(set) var usedTrackIDs: Set<Int>

  /// The output's size for a derived video composition, in square pixels. `nil` means the size of the first picture.
  public var naturalSize: NaturalSize?

  private enum CodingKeys: String, CodingKey { case tracks, naturalSize }

  /// Creates a composition from tracks.
  public init(tracks: [Track] = [], naturalSize: NaturalSize? = nil) {
    self.tracks = tracks
    self.naturalSize = naturalSize
    usedTrackIDs = Set(tracks.lazy.map(\.id))
  }

  /// The track with the id, if there is one.
  public func track(_ id: Int) -> Track? { tracks.first { $0.id == id } }
}

/// The type of media in a track.
public enum MediaType: String, Hashable, Codable, Sendable, CaseIterable {
  /// Pictures.
  case video = "video"
  /// Sound.
  case audio = "audio"
}

/// A sequence of track segments in time order, without overlaps.
public struct Track: Hashable, Encodable, Sendable {
  /// The id that instructions and mix parameters refer to. It is positive.
  public var id: Int
  /// The type of media in the track.
  public var mediaType: MediaType
  /// The segments, ordered by target start. A gap shows the background or is silent.
  public var segments: [TrackSegment]
  /// The transform that rotates the track's pictures upright in a derived video composition. `nil` means the transform
  /// of each file.
  public var preferredTransform: AffineTransform?

  /// Creates a track.
  public init(
    id: Int, mediaType: MediaType, segments: [TrackSegment] = [],
    preferredTransform: AffineTransform? = nil
  ) {
    self.id = id
    self.mediaType = mediaType
    self.segments = segments
    self.preferredTransform = preferredTransform
  }

  /// The segment at an instant of the composition, if there is one.
  public func segment(at time: RationalTime) -> TrackSegment? {
    segments.first { $0.target.contains(time) }
  }
}

/// A range of an asset's track, placed on the composition's timeline.
public struct TrackSegment: Hashable, Encodable, Sendable {
  /// The asset's name in the project.
  public var asset: String
  /// The index among the asset's streams of the track's media type, from 0.
  public var trackIndex: Int
  /// The range in the asset's time. Time zero is the earliest presentation start of the asset's streams.
  public var source: TimeRange
  /// The range in the composition's time.
  public var target: TimeRange

  /// Creates a segment.
  public init(asset: String, trackIndex: Int, source: TimeRange, target: TimeRange) {
    self.asset = asset
    self.trackIndex = trackIndex
    self.source = source
    self.target = target
  }
}
