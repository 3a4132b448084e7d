import Crypto
import Timeline

/// The digest of everything in a segment that decides what its chunk shows.
///
/// The segment's position on the timeline and the names of its assets are not part of it, so a segment that moved by
/// whole frames keeps its content. A chunk's frames are therefore numbered from 0.
public struct SegmentContent: Hashable, Sendable {
  /// The version of the hashed layout, which is part of every key. Raise it if the layout changes, or if equal
  /// descriptions render differently than before.
  private static let version = 2

  /// The SHA-256 of everything that decides the chunk, except the worker.
  public let digest: Digest

  /// Creates the content with a known digest.
  public init(digest: Digest) { self.digest = digest }

  /// Computes the content of a segment, in time proportional to the length of its description.
  public init(_ segment: SegmentDescription) throws {
    digest = try CanonicalJSON.digest(of: segment.withoutPosition())
  }

  private struct Key: Encodable {
    let version: Int
    let fingerprint: String
    let content: Digest
  }

  /// The content key: the SHA-256 of everything that decides the chunk's bytes.
  ///
  /// - Parameter fingerprint: the worker's library and encoder versions.
  public func key(fingerprint: String) throws -> Digest {
    try CanonicalJSON.digest(
      of: Key(version: Self.version, fingerprint: fingerprint, content: digest))
  }
}

extension SegmentDescription {
  /// The content key of the chunk that a worker with the given fingerprint makes; see ``SegmentContent``.
  public func contentKey(fingerprint: String) throws -> Digest {
    try SegmentContent(self).key(fingerprint: fingerprint)
  }

  /// The description with its first frame at 0 and its assets without names.
  fileprivate func withoutPosition() throws -> SegmentDescription {
    let start = try frameDuration * Int64(first)
    var moved = self
    (moved.first, moved.end) = (0, end - first)
    for index in moved.sources.indices { moved.sources[index].name = "" }
    for slice in moved.slices.indices {
      moved.slices[slice].first -= first
      moved.slices[slice].end -= first
      for layer in moved.slices[slice].layers.indices {
        try moved.slices[slice].layers[layer].begin(earlierBy: start)
      }
      for layer in (moved.slices[slice].overlay?.layers ?? []).indices {
        try moved.slices[slice].overlay?.layers[layer].begin(earlierBy: start)
      }
    }
    return moved
  }
}

extension LayerSlice {
  /// Moves all ramps `offset` seconds earlier.
  fileprivate mutating func begin(earlierBy offset: RationalTime) throws(TimeError) {
    opacity = try opacity.earlier(by: offset)
    transform = try transform.earlier(by: offset)
    crop = try crop.earlier(by: offset)
    tint = try tint?.earlier(by: offset)
    if let mask { self.mask?.progress = try mask.progress.earlier(by: offset) }
    for number in (clips ?? []).indices {
      guard let clip = clips?[number] else { continue }
      clips?[number] = LayerClip(
        rect: try clip.rect.earlier(by: offset), transform: try clip.transform.earlier(by: offset))
    }
    if let corners { self.corners?.stretch = try corners.stretch.earlier(by: offset) }
    for number in (sublayers ?? []).indices {
      try sublayers?[number].begin(earlierBy: offset)
    }
  }
}
