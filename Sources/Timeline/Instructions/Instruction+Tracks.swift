extension Instruction {
  /// The ids of the video tracks whose frames are needed, each once, in the order of the layers.
  public var requiredSourceTrackIDs: [Int] {
    var ids: [Int] = []
    for layer in layers where !ids.contains(layer.track) { ids.append(layer.track) }
    return ids
  }

  /// The id of the one track whose pictures the instruction shows as they are: with full opacity, the identity transform
  /// and no crop, all through its time range.
  ///
  /// Whether these pictures are the output's frames depends on their size too, which
  /// ``VideoComposition/passthroughTrackID(of:composition:indexes:)`` takes into account.
  ///
  /// - Returns: `nil` for no layer, several layers, and for a layer with an effect.
  public var passthroughTrackID: Int? {
    guard layers.count == 1, let layer = layers.first, !layer.hasEffect(during: timeRange) else {
      return nil
    }
    return layer.track
  }
}

extension LayerInstruction {
  /// Whether the layer shows anything but its pictures as they are, at any instant of a range.
  package func hasEffect(during range: TimeRange) -> Bool {
    !opacity.isConstant(1, during: range) || !transform.isConstant(.identity, during: range)
      || !crop.restricted(from: range.start, to: range.end).pieces.isEmpty
      || backdrop != nil || mask != nil
  }
}

extension Ramps {
  /// Whether the value, which is `standard` before the first piece, is so all through a range.
  fileprivate func isConstant(_ standard: Value, during range: TimeRange) -> Bool {
    restricted(from: range.start, to: range.end).pieces.allSatisfy { piece in
      switch piece {
      case .step(_, let value): value == standard
      case .ramp(_, let from, let to, _): from == standard && to == standard
      }
    }
  }
}

extension VideoComposition {
  /// The id of the track whose frames are the output's frames all through an instruction: AVFoundation's
  /// `passthroughTrackID`.
  ///
  /// That is the instruction's ``Instruction/passthroughTrackID``, where all that the track shows has the output's size
  /// and square pixels, and fills the time range.
  ///
  /// - Parameters:
  ///   - composition: the tracks.
  ///   - indexes: the media indexes by asset name.
  public func passthroughTrackID(
    of instruction: Instruction, composition: Composition, indexes: [String: MediaIndex]
  ) -> Int? {
    guard let id = instruction.passthroughTrackID, let track = composition.track(id)
    else { return nil }
    let (size, range) = (outputSize, instruction.timeRange)
    guard renderSize == size else { return nil }
    var covered = max(range.start, .zero)
    for segment in track.segments where segment.target.overlaps(range) {
      guard segment.target.start <= covered, let index = indexes[segment.asset],
        index.video.indices.contains(segment.trackIndex),
        index.video[segment.trackIndex].fills(size)
      else { return nil }
      covered = segment.target.end
    }
    return covered >= min(range.end, composition.duration) ? id : nil
  }

  /// When animation layers are drawn over the video: the time ranges of the instructions that do not turn post-processing
  /// off, those that adjoin joined.
  public var postProcessingTimeRanges: [TimeRange] {
    var ranges: [TimeRange] = []
    for instruction in instructions where instruction.enablePostProcessing {
      let range = instruction.timeRange
      if let last = ranges.last, last.end == range.start,
        let joined = try? TimeRange(start: last.start, end: range.end)
      {
        ranges[ranges.count - 1] = joined
      } else {
        ranges.append(range)
      }
    }
    return ranges
  }
}

extension VideoStream {
  /// Whether the decoded pictures are of a size as they are, with square pixels and nothing cut off.
  fileprivate func fills(_ renderSize: PixelSize) -> Bool {
    size == renderSize && pixelAspectRatio == RationalTime(1)
      && displayBounds.width == Double(renderSize.width)
      && displayBounds.height == Double(renderSize.height)
  }
}
