/// Decides where the timeline is cut into segments.
///
/// Cuts fall on the edges of slices; edges closer than ``PlanOptions/minimumFrames`` are skipped. Ranges that are still
/// long are divided near multiples of the target, if possible where a source has a keyframe, which saves decoding
/// frames that are not shown.
struct SegmentCutter {
  /// The slices, contiguous.
  let slices: [DraftSlice]
  /// The target number of frames in a segment, at least twice ``PlanOptions/minimumFrames``.
  let targetFrames: Int

  /// The segments' ranges, contiguous from the first slice's start to the last one's end.
  func ranges() -> [Range<Int>] {
    guard let start = slices.first?.frames.lowerBound, let end = slices.last?.frames.upperBound
    else { return [] }
    var cuts = [start]
    for slice in slices {
      let edge = slice.frames.lowerBound
      if edge - cuts[cuts.count - 1] >= PlanOptions.minimumFrames,
        end - edge >= PlanOptions.minimumFrames
      {
        cuts.append(edge)
      }
    }
    cuts.append(end)
    return zip(cuts, cuts.dropFirst()).flatMap { divide($0..<$1) }
  }

  /// Divides a range into parts of half to twice the target.
  private func divide(_ range: Range<Int>) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var first = range.lowerBound
    let half = targetFrames / 2
    while range.upperBound - first > targetFrames + half {
      let window = (first + half)...min(first + 2 * targetFrames, range.upperBound - half)
      let cut = cheapestCut(near: first + targetFrames, in: window)
      parts.append(first..<cut)
      first = cut
    }
    return parts + [first..<range.upperBound]
  }

  /// The frame nearest to `ideal` at which a cut costs no preroll; `ideal` if there is none.
  private func cheapestCut(near ideal: Int, in window: ClosedRange<Int>) -> Int {
    for distance in 0...(window.upperBound - window.lowerBound) {
      for frame in [ideal - distance, ideal + distance]
      where window.contains(frame) && slice(at: frame).decodesAfresh(at: frame) {
        return frame
      }
    }
    return ideal
  }

  private func slice(at frame: Int) -> DraftSlice {
    var (low, high) = (0, slices.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if slices[middle].frames.upperBound <= frame { low = middle + 1 } else { high = middle }
    }
    return slices[low]
  }
}
