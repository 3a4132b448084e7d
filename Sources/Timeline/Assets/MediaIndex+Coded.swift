extension MediaIndex {
  /// The index with its pictures as they are stored: with square pixels, uncropped and unturned.
  ///
  /// That is the space in which pictures are put together that are to join copied ones; what is left out here is said
  /// of the output as a whole.
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
  /// The indexes as this export takes them: with pictures as they are stored where it copies, still images excepted.
  package func indexes(_ indexes: [String: MediaIndex]) -> [String: MediaIndex] {
    isPassthrough ? indexes.mapValues { $0.isStillImage ? $0 : $0.coded } : indexes
  }
}
