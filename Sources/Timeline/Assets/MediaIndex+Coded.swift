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

extension ExportSettings {
  /// The indexes for this export. If packets are copied, pictures other than still images are taken as they are stored.
  package func indexes(_ indexes: [String: MediaIndex]) -> [String: MediaIndex] {
    isPassthrough ? indexes.mapValues { $0.isStillImage ? $0 : $0.coded } : indexes
  }
}
