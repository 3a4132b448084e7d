extension Composition: Hashable {
  /// Whether tracks and natural size are the same; ids of tracks that are gone make no difference.
  public static func == (a: Composition, b: Composition) -> Bool {
    a.tracks == b.tracks && a.naturalSize == b.naturalSize
  }

  /// Hashes the tracks and the natural size.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(tracks)
    hasher.combine(naturalSize)
  }
}
