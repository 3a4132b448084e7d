import Planning
import Timeline

extension SegmentDescription {
  /// The sources whose interlaced frames are used as they are, rather than de-interlaced: those with the order of
  /// fields in which the output is encoded, if every layer that shows them leaves each row where it is, and shows no frame
  /// twice.
  ///
  /// Each row then comes from the rows of the same field, even where layers are blended. The fields of a frame that is
  /// held would be shown alternately, so that what moves would tremble.
  var wovenSources: Set<Int> {
    guard let field = video.firstField else { return [] }
    let layers = slices.flatMap { ($0.layers + ($0.overlay?.layers ?? [])).flatMap(\.leaves) }
    return Set(
      sources.indices.filter { source in
        sources[source].stream.firstField == field && sources[source].stream.size == renderSize
          && layers.allSatisfy { layer in
            layer.source != source
              || layer.backdrop == nil && layer.isSmooth != true
                && layer.transform.values.allSatisfy { $0 == .identity } && !layer.holdsFrames
          }
      })
  }
}

extension LayerSlice {
  /// Whether a frame of the source is shown by more than one output frame.
  fileprivate var holdsFrames: Bool {
    var last: Int64?
    for run in frames {
      if run.time == last || run.step == 0 && run.count > 1 { return true }
      last = run.time + run.step * Int64(run.count - 1)
    }
    return false
  }
}

extension VideoSettings {
  /// Whether pictures are encoded with more chroma than composited ones have.
  var hasFineChroma: Bool { chroma != nil || codec == .prores }
}
