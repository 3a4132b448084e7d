import Timeline

/// Where the frames of a recording are in its excerpts.
struct ExcerptFrames {
  /// Consecutive frames of the recording that an excerpt contains.
  private struct Piece {
    /// The frames' indexes in the recording.
    let frames: Range<Int>
    /// What is added to an index in the recording to get the one in the excerpt.
    let shift: Int
    let excerpt: RecordingExcerpt
    /// The excerpt's stream, described as in the first excerpt.
    let stream: VideoStream
  }

  /// In order, without gaps from the first frame in an excerpt on.
  private var pieces: [Piece] = []
  /// Whether frames after the last piece are not recorded yet.
  let isGrowing: Bool

  /// Finds the frames of excerpts in a recording. An excerpt whose times differ from the recording's is not used, and
  /// neither are later ones.
  ///
  /// - Parameter frames: the recording's own frames.
  init(of recording: ExcerptedRecording, in frames: FrameTable) {
    isGrowing = !recording.isComplete
    guard let description = recording.excerpts.first?.stream else { return }
    for excerpt in recording.excerpts {
      guard let own = excerpt.ownFrames, let stream = excerpt.stream,
        stream.parameterSets == description.parameterSets, stream.timeBase == description.timeBase,
        let piece = Self.piece(own, of: stream.frames, in: frames),
        pieces.last.map({ $0.frames.upperBound == piece.lowerBound }) ?? true
      else { return }
      // Only a recording's first packets may describe the encoder, and its rate may be stated differently.
      var described = description
      (described.frames, described.copying) = (stream.frames, stream.copying)
      (described.damage, described.streamIndex) = (stream.damage, stream.streamIndex)
      pieces.append(
        Piece(
          frames: piece, shift: own.lowerBound - piece.lowerBound, excerpt: excerpt,
          stream: described))
    }
  }

  /// The frames of a recording that have the times of an excerpt's own frames; `nil` if their times differ.
  private static func piece(
    _ own: Range<Int>, of excerpt: FrameTable, in recording: FrameTable
  ) -> Range<Int>? {
    let start = recording.frame(at: excerpt.times[own.lowerBound])
    let piece = start..<start + own.count
    guard piece.upperBound <= recording.times.count,
      recording.times[piece].elementsEqual(excerpt.times[own])
    else { return nil }
    return piece
  }

  /// The number of the piece that contains a frame of the recording; `nil` if none does.
  func piece(of frame: Int) -> Int? {
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].frames.upperBound <= frame { low = middle + 1 } else { high = middle }
    }
    return low < pieces.count && pieces[low].frames.contains(frame) ? low : nil
  }

  /// A layer of the recording that shows only frames of a piece, with the excerpt in place of the recording.
  func layer(_ layer: DraftLayer, showing piece: Int) -> DraftLayer {
    let piece = pieces[piece]
    let frames = piece.frames.lowerBound + piece.shift..<piece.frames.upperBound + piece.shift
    return DraftLayer(
      instruction: layer.instruction, asset: piece.excerpt.name, index: layer.index,
      stream: piece.stream, mapping: layer.mapping.showing(frames, shiftedBy: piece.shift),
      byteCount: piece.excerpt.byteCount)
  }
}

extension DraftSlice {
  /// The slice with excerpts in place of recordings, divided where one excerpt ends and the next one begins.
  ///
  /// - Parameter recordings: the frames in excerpts by the names of the recordings.
  /// - Returns: the slices, up to the first output frame that shows something that is not recorded yet.
  func divided(among recordings: [String: ExcerptFrames]) -> [DraftSlice] {
    let shown = layers.map { layer -> (frames: [Int], recording: ExcerptFrames)? in
      guard let recording = recordings[layer.asset],
        layer.stream.streamIndex == layer.index.video.first?.streamIndex
      else { return nil }
      return (layer.mapping.frames(for: frames), recording)
    }
    guard shown.contains(where: { $0 != nil }) else {
      // Other streams of a growing recording are not in any file yet.
      return layers.contains { recordings[$0.asset]?.isGrowing == true } ? [] : [self]
    }
    var slices: [(frames: Range<Int>, pieces: [Int?])] = []
    for (place, frame) in frames.enumerated() {
      let pieces = shown.map { $0.flatMap { $0.recording.piece(of: $0.frames[place]) } }
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
  /// yet.
  func divided(among recordings: [String: ExcerptFrames]) -> [DraftSlice] {
    guard !recordings.isEmpty else { return self }
    var divided: [DraftSlice] = []
    for slice in self {
      let parts = slice.divided(among: recordings)
      divided += parts
      guard parts.last?.frames.upperBound == slice.frames.upperBound else { break }
    }
    return divided
  }
}
