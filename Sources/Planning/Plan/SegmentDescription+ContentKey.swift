import Crypto
import Timeline

extension SegmentDescription {
  /// The layout of what is hashed; a change of it, or of what equal descriptions render to, changes every key.
  private static let contentVersion = 1

  /// What a content key is the hash of.
  private struct Content: Encodable {
    let version: Int
    let fingerprint: String
    let segment: SegmentDescription
  }

  /// The SHA-256 over everything that decides the chunk's bytes.
  ///
  /// Where the segment lies on the time line does not count, nor what its assets are called: a segment that moved by
  /// whole frames keeps its key. A chunk's frames are therefore numbered from 0.
  ///
  /// - Parameter fingerprint: the worker's library and encoder versions.
  public func contentKey(fingerprint: String) throws -> Digest {
    try CanonicalJSON.digest(
      of: Content(
        version: Self.contentVersion, fingerprint: fingerprint, segment: try withoutPosition()))
  }

  /// The description with its first frame at 0 and its assets without names.
  private func withoutPosition() throws -> SegmentDescription {
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
  /// Moves every course to `offset` seconds earlier.
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
