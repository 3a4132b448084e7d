/// The width and height of pictures in square pixels, before the preferred transform.
public struct NaturalSize: Hashable, Codable, Sendable {
  /// The width. It may be fractional if the pixels of the file are not square.
  public let width: Double
  /// The height.
  public let height: Double

  /// Creates a size from its sides, in square pixels.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }
}

extension Track {
  /// The size of the first picture that the track shows, before its preferred transform.
  ///
  /// - Parameter indexes: the media indexes by asset name.
  /// - Returns: `nil` for an audio track, a track without segments, or an asset without an index.
  public func naturalSize(indexes: [String: MediaIndex]) -> NaturalSize? {
    firstVideoStream(indexes).map { stream in
      let bounds = stream.displayBounds
      return NaturalSize(width: bounds.width, height: bounds.height)
    }
  }

  /// ``preferredTransform``, or else the transform that rotates the track's first picture upright according to its
  /// file, or else the identity.
  ///
  /// - Parameter indexes: the media indexes by asset name.
  public func preferredTransform(indexes: [String: MediaIndex]) -> AffineTransform {
    preferredTransform ?? firstVideoStream(indexes)?.preferredTransform ?? .identity
  }

  private func firstVideoStream(_ indexes: [String: MediaIndex]) -> VideoStream? {
    guard mediaType == .video, let segment = segments.first, let index = indexes[segment.asset],
      index.video.indices.contains(segment.trackIndex)
    else { return nil }
    return index.video[segment.trackIndex]
  }
}

extension Composition {
  /// ``naturalSize``, or else that of the first video track that has one.
  ///
  /// - Parameter indexes: the media indexes by asset name.
  public func naturalSize(indexes: [String: MediaIndex]) -> NaturalSize? {
    naturalSize ?? tracks.lazy.compactMap { $0.naturalSize(indexes: indexes) }.first
  }

  /// The preferred transform of the first video track that has a natural size; else the identity.
  ///
  /// - Parameter indexes: the media indexes by asset name.
  public func preferredTransform(indexes: [String: MediaIndex]) -> AffineTransform {
    tracks.first { $0.naturalSize(indexes: indexes) != nil }?.preferredTransform(indexes: indexes)
      ?? .identity
  }
}
