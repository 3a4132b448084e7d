extension Composition: Hashable {
  /// Whether the tracks are the same; ids of tracks that are gone make no difference.
  public static func == (a: Composition, b: Composition) -> Bool { a.tracks == b.tracks }

  /// Hashes the tracks.
  public func hash(into hasher: inout Hasher) { hasher.combine(tracks) }
}
