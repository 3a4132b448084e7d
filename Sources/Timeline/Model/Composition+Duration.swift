extension Composition {
  /// The end of the last track segment, in seconds; 0 without segments.
  public var duration: RationalTime {
    tracks.flatMap(\.segments).map(\.target.end).max() ?? .zero
  }
}
