extension ExportSettings {
  /// The indexes for this export. If the output is like the stored pictures of its sources, pictures other than still
  /// images are taken as they are stored.
  package func indexes(_ indexes: [String: MediaIndex]) -> [String: MediaIndex] {
    let isStored = isPassthrough || continued?.isStored == true
    return isStored ? indexes.mapValues { $0.isStillImage ? $0 : $0.coded } : indexes
  }

  /// The size and rate of the output: those that the project sets, or else those of the format that it continues.
  package func format(asked: AskedFormat = AskedFormat()) -> AskedFormat {
    AskedFormat(
      renderSize: asked.renderSize ?? continued?.size,
      frameDuration: asked.frameDuration ?? continued?.frameDuration)
  }
}
