/// Tracks that play together.
public struct Composition: Encodable, Sendable {
  /// The tracks, with distinct ids.
  public var tracks: [Track] { didSet { usedTrackIDs.formUnion(tracks.lazy.map(\.id)) } }
  /// Every id that a track of this value has had, so that ``addTrack(mediaType:preferredID:)`` gives none twice.
  ///
  /// It is not part of the composition's content: it is neither compared nor written to a file.
  private(set) var usedTrackIDs: Set<Int>

  /// The size of the output, in square pixels, where a video composition is derived; `nil` takes that of the first
  /// picture.
  public var naturalSize: NaturalSize?

  private enum CodingKeys: String, CodingKey { case tracks, naturalSize }

  /// A composition of tracks.
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
  case video
  /// Sound.
  case audio
}

/// A sequence of track segments in time order, without overlaps.
public struct Track: Hashable, Encodable, Sendable {
  /// The id that instructions and mix parameters refer to: positive.
  public var id: Int
  /// The type of media in the track.
  public var mediaType: MediaType
  /// The segments by increasing target start; a gap shows background or is silent.
  public var segments: [TrackSegment]
  /// The transform that turns the track's pictures upright in a derived video composition; `nil` uses that of each
  /// file.
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

  /// The segment on show at an instant of the composition, if any.
  public func segment(at time: RationalTime) -> TrackSegment? {
    segments.first { $0.target.contains(time) }
  }
}

/// A range of an asset's track placed on the composition's time line.
public struct TrackSegment: Hashable, Encodable, Sendable {
  /// The asset's name in the project.
  public var asset: String
  /// Which of the asset's streams of the track's media type, from 0.
  public var trackIndex: Int
  /// The range in the asset's time, whose zero is the earliest presentation start of its streams.
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
