import Timeline

/// Maps the frames of a recording to its excerpts.
struct ExcerptFrames {
  /// Consecutive frames of the recording that an excerpt contains.
  private struct Piece {
    /// The frames' indexes in the recording.
    let frames: Range<Int>
    /// The offset from an index in the recording to the index in the excerpt.
    let shift: Int
    let excerpt: IndexedExcerpt
    /// The excerpt's stream, with the encoder's description from the first excerpt.
    let stream: VideoStream
  }

  /// In order. Each piece begins where the one before ends.
  private var pieces: [Piece] = []
  /// Whether the recording may get frames after the last piece.
  let isGrowing: Bool

  /// Finds the frames of excerpts in a recording. An excerpt is not used if its times differ from the recording's, or if
  /// decoding the recording cannot start where the excerpt does; neither are later ones.
  ///
  /// - Parameter frames: the recording's own frames.
  init(of recording: ExcerptedRecording, in frames: FrameTable) {
    isGrowing = !recording.isComplete
    guard let description = recording.excerpts.first?.stream else { return }
    // Only the whole recording shows which keyframes depend on what precedes them.
    let starts = recording.isComplete ? Set(frames.starts.map(\.time)) : nil
    for excerpt in recording.excerpts {
      guard let own = excerpt.ownFrames, let stream = excerpt.stream,
        stream.parameterSets == description.parameterSets, stream.timeBase == description.timeBase,
        let piece = Self.range(of: own, of: stream.frames, in: frames),
        pieces.last.map({ $0.frames.upperBound == piece.lowerBound }) ?? true,
        starts?.contains(frames.times[piece.lowerBound]) != false
      else { return }
      // Only the first packets of a recording may name the encoder, and each excerpt may state another frame rate, so
      // all use the first description.
      var described = description
      described.frames = starts.map(stream.frames.startingOnly) ?? stream.frames
      described.copying = stream.copying
      (described.damage, described.streamIndex) = (stream.damage, stream.streamIndex)
      pieces.append(
        Piece(
          frames: piece, shift: own.lowerBound - piece.lowerBound, excerpt: excerpt,
          stream: described))
    }
  }

  /// The frames of a recording that have the times of an excerpt's own frames; `nil` if their times differ.
  private static func range(
    of own: Range<Int>, of excerpt: FrameTable, in recording: FrameTable
  ) -> Range<Int>? {
    let start = recording.frame(at: excerpt.times[own.lowerBound])
    let piece = start..<start + own.count
    guard piece.upperBound <= recording.times.count,
      recording.times[piece].elementsEqual(excerpt.times[own])
    else { return nil }
    return piece
  }

  /// The names of the excerpts that are used.
  var excerptNames: [String] { pieces.map(\.excerpt.name) }

  /// The number of the piece that contains a frame of the recording; `nil` if none does.
  func pieceIndex(of frame: Int) -> Int? {
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].frames.upperBound <= frame { low = middle + 1 } else { high = middle }
    }
    return low < pieces.count && pieces[low].frames.contains(frame) ? low : nil
  }

  /// The name of the last excerpt so far if a pause of unknown length follows it, because its part has ended.
  var pausedExcerpt: String? {
    guard isGrowing, let last = pieces.last, last.excerpt.sharedFrames == 0 else { return nil }
    return last.excerpt.name
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

extension FrameTable {
  /// The table in which decoding can start only at some times.
  fileprivate func startingOnly(at starts: Set<Int64>) -> FrameTable {
    FrameTable(
      times: times, end: end,
      keyframes: keyframes.map { keyframe in
        var keyframe = keyframe
        keyframe.isSeekable = keyframe.isSeekable && starts.contains(keyframe.time)
        return keyframe
      })
  }
}
