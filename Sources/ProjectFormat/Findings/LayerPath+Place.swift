import Timeline

extension LayerPath {
  /// The layer's path in a project file whose layer tree is at `animation`.
  package func place(in animation: FindingPath = "videoComposition.animation") -> FindingPath {
    numbers.reduce(animation) { "\($0).layers[\($1)]" }
  }
}
