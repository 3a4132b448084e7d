extension Instruction {
  /// The ids of the video tracks whose frames are needed, each once, in layer order.
  public var requiredSourceTrackIDs: [Int] {
    var ids: [Int] = []
    for layer in layers where !ids.contains(layer.track) { ids.append(layer.track) }
    return ids
  }

  /// The id of the track that the instruction shows unchanged: a single layer with full opacity, the identity transform
  /// and no crop during the entire time range. `nil` if the instruction has no layer, several layers, or a layer with
  /// an effect.
  ///
  /// For the track's frames to be the output's frames, their size must match too. See
  /// ``VideoComposition/passthroughTrackID(of:composition:indexes:)``.
  public var passthroughTrackID: Int? {
    guard layers.count == 1, let layer = layers.first, !layer.hasEffect(during: timeRange) else {
      return nil
    }
    return layer.track
  }
}

extension LayerInstruction {
  /// Whether the layer changes its pictures in any way at any instant of a range.
  package func hasEffect(during range: TimeRange) -> Bool {
    !opacity.isConstant(1, during: range) || !transform.isConstant(.identity, during: range)
      || !crop.restricted(from: range.start, to: range.end).pieces.isEmpty
      || backdrop != nil || mask != nil
  }
}

extension Ramps {
  /// Whether the value is `standard` during an entire range. Before the first piece it is `standard`.
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
  /// The id of the track whose frames are the output's frames during an entire instruction: AVFoundation's
  /// `passthroughTrackID`.
  ///
  /// This is the instruction's ``Instruction/passthroughTrackID``, if the track's segments fill the time range and all
  /// their frames have the output's size and square pixels.
  ///
  /// - Parameters:
  ///   - composition: The composition with the tracks.
  ///   - indexes: The media indexes by asset name.
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

  /// The time ranges in which animation layers are drawn over the video: those of the instructions that enable
  /// post-processing. Adjacent ranges are joined.
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
  /// Whether the decoded pictures have a size, with square pixels and without a clean aperture that crops them.
  fileprivate func fills(_ renderSize: PixelSize) -> Bool {
    size == renderSize && pixelAspectRatio == RationalTime(1)
      && displayBounds.width == Double(renderSize.width)
      && displayBounds.height == Double(renderSize.height)
  }
}
