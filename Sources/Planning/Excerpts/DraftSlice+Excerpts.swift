import Timeline

extension DraftSlice {
  /// The slice with excerpts in place of recordings, divided where one excerpt ends and the next one begins.
  ///
  /// - Parameter recordings: the frames in excerpts by the names of the recordings.
  /// - Returns: the slices, up to the first output frame that shows something that is not recorded yet.
  func showing(excerptsOf recordings: [String: ExcerptFrames]) -> [DraftSlice] {
    guard layers.contains(where: { recordings[$0.asset] != nil }) else { return [self] }
    let shown = layers.map { layer -> (frames: [Int], recording: ExcerptFrames)? in
      guard let recording = recordings[layer.asset],
        layer.stream.streamIndex == layer.index.video.first?.streamIndex
      else { return nil }
      return (layer.mapping.frames(for: frames), recording)
    }
    var slices: [(frames: Range<Int>, pieces: [Int?])] = []
    for (place, frame) in frames.enumerated() {
      let pieces = shown.map { $0.flatMap { $0.recording.pieceIndex(of: $0.frames[place]) } }
      let isRecorded = zip(pieces, layers).allSatisfy { piece, layer in
        piece != nil || recordings[layer.asset]?.isGrowing != true
      }
      guard isRecorded else { break }
      if let last = slices.last, last.pieces == pieces {
        slices[slices.count - 1].frames = last.frames.lowerBound..<frame + 1
      } else {
        slices.append((frame..<frame + 1, pieces))
      }
    }
    return slices.map { slice in
      DraftSlice(
        frames: slice.frames, backgroundColor: backgroundColor,
        layers: layers.indices.map { place in
          guard let piece = slice.pieces[place], let (_, recording) = shown[place] else {
            return layers[place]
          }
          return recording.layer(layers[place], showing: piece)
        }, placedAnimations: placedAnimations, isPostProcessed: isPostProcessed)
    }
  }
}

extension [DraftSlice] {
  /// The slices with excerpts in place of recordings, up to the first frame that shows something that is not recorded
  /// yet. A segment begins wherever an excerpt does, because that may be the end of what is recorded at some time.
  func showing(excerptsOf recordings: [String: ExcerptFrames]) -> [DraftSlice] {
    guard !recordings.isEmpty else { return self }
    var divided: [DraftSlice] = []
    for slice in self {
      let parts = slice.showing(excerptsOf: recordings)
      divided += parts
      guard parts.last?.frames.upperBound == slice.frames.upperBound else {
        // The last frame before a pause is shown until the pause is over, so its segment is not known yet.
        let paused = Set(recordings.values.compactMap(\.pausedExcerpt))
        while divided.last?.layers.contains(where: { paused.contains($0.asset) }) == true {
          divided.removeLast()
        }
        break
      }
    }
    let names = Set(recordings.keys).union(recordings.values.flatMap(\.excerptNames))
    var earlier: Set<String> = []
    for number in divided.indices {
      let shown = names.intersection(divided[number].layers.map(\.asset))
      divided[number].beginsSegment = !shown.isSubset(of: earlier)
      earlier = shown
    }
    return divided
  }
}
