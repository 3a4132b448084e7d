extension Composition {
  /// When the last track segment ends, in seconds; 0 without segments.
  public var duration: RationalTime {
    tracks.flatMap(\.segments).map(\.target.end).max() ?? .zero
  }
}
