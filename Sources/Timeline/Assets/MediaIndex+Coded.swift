extension MediaIndex {
  /// The index with pictures as they are stored: with square pixels, without a clean aperture and without rotation.
  ///
  /// Pictures that will be joined with copied ones are composited in this space. The omitted properties apply to the
  /// output as a whole.
  package var coded: MediaIndex {
    var index = self
    for number in index.video.indices {
      index.video[number].pixelAspectRatio = RationalTime(1)
      index.video[number].cleanAperture = nil
      index.video[number].orientation = .identity
    }
    return index
  }
}
