extension Composition: Hashable {
  /// Whether the tracks and the natural sizes are equal. Ids of removed tracks make no difference.
  public static func == (a: Composition, b: Composition) -> Bool {
    a.tracks == b.tracks && a.naturalSize == b.naturalSize
  }

  /// Hashes the tracks and the natural size.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(tracks)
    hasher.combine(naturalSize)
  }
}
