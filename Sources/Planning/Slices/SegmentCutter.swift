import Timeline

/// Decides where the timeline is cut into segments.
///
/// A cut costs frames that are decoded twice: those from a source's keyframe to the cut, if the source is shown on both
/// sides. Cuts therefore fall on edges of slices and frames at which this costs nothing. Only ranges that would be too
/// long are divided elsewhere.
///
/// Long sources are cut near fixed times of their own, which do not depend on their place on the timeline, so that an
/// edit changes only the segments around it.
struct SegmentCutter {
  /// The slices, contiguous.
  let slices: [DraftSlice]
  /// The target number of frames in a segment, at least twice ``PlanOptions/minimumFrames``.
  let targetFrames: Int
  /// The length of an output frame, in seconds.
  let frameDuration: RationalTime
  /// Whether the last segment may have less than ``PlanOptions/minimumFrames``. The slices before an end that moves are
  /// then cut in the same places.
  let mayEndShort: Bool

  /// The segments' ranges, contiguous from the first slice's start to the last one's end.
  func ranges() -> [Range<Int>] {
    guard let start = slices.first?.frames.lowerBound, let end = slices.last?.frames.upperBound
    else { return [] }
    return Self.pieces(of: start..<end, cutAt: freeEdges(from: start, to: end)).flatMap { scene in
      scene.count > targetFrames + targetFrames / 2
        ? Self.pieces(of: scene, cutAt: keyframes(in: scene)).flatMap { divide($0) } : [scene]
    }
  }

  /// The edges of slices at which a cut costs nothing or an excerpt begins, with at least ``PlanOptions/minimumFrames`` between them.
  private func freeEdges(from start: Int, to end: Int) -> [Int] {
    var edges: [Int] = []
    for slice in slices {
      let edge = slice.frames.lowerBound
      guard edge - (edges.last ?? start) >= PlanOptions.minimumFrames,
        mayEndShort || end - edge >= PlanOptions.minimumFrames,
        slice.beginsSegment || framesDecodedTwice(byCutAt: edge) == 0
      else { continue }
      edges.append(edge)
    }
    return edges
  }

  /// The free cuts nearest to the fixed times of the sources in a range. They are at least half a target apart, and a
  /// quarter away from the range's ends.
  private func keyframes(in range: Range<Int>) -> [Int] {
    let half = targetFrames / 2
    let margin = max(targetFrames / 4, PlanOptions.minimumFrames)
    var cuts: [Int] = []
    for time in fixedTimes(in: range) {
      let first = max(cuts.last.map { $0 + half } ?? range.lowerBound + margin, time - half)
      let last = min(range.upperBound - margin, time + half)
      if first <= last, let cut = freeCut(nearestTo: time, in: first...last) { cuts.append(cut) }
    }
    return cuts
  }

  /// Divides a range where that costs least, into parts of half to twice the target.
  private func divide(_ range: Range<Int>) -> [Range<Int>] {
    guard range.count > 2 * targetFrames else { return [range] }
    let half = targetFrames / 2
    let places = fixedTimes(in: range) + slices.map(\.frames.lowerBound)
    var parts: [Range<Int>] = []
    var first = range.lowerBound
    while range.upperBound - first > 2 * targetFrames {
      let ideal = first + targetFrames
      let window = (first + half)...min(first + 2 * targetFrames, range.upperBound - half)
      let cut =
        places.lazy.filter(window.contains).map {
          (cost: framesDecodedTwice(byCutAt: $0), distance: abs($0 - ideal), frame: $0)
        }.min { ($0.cost, $0.distance, $0.frame) < ($1.cost, $1.distance, $1.frame) }?.frame
        ?? ideal
      parts.append(first..<cut)
      first = cut
    }
    return parts + [first..<range.upperBound]
  }

  /// The output frames within a range that first show a source's multiples of the target length, for the lowest moving
  /// layer of each slice.
  private func fixedTimes(in range: Range<Int>) -> [Int] {
    slices.flatMap { slice -> [Int] in
      let frames = slice.frames.clamped(to: range)
      guard !frames.isEmpty, let layer = slice.layers.last(where: { !$0.index.isStillImage })
      else { return [] }
      return layer.starts(ofEvery: targetFrames, of: frameDuration, in: frames)
    }
  }

  /// The frame in a window nearest to `ideal` at which a cut costs nothing; the earlier one of two.
  private func freeCut(nearestTo ideal: Int, in window: ClosedRange<Int>) -> Int? {
    for distance in 0...targetFrames {
      for frame in [ideal - distance, ideal + distance]
      where window.contains(frame) && framesDecodedTwice(byCutAt: frame) == 0 {
        return frame
      }
    }
    return nil
  }

  /// The number of source frames that two segments would decode if a frame other than the first began the second.
  private func framesDecodedTwice(byCutAt frame: Int) -> Int {
    let (before, after) = (slice(at: frame - 1), slice(at: frame))
    return after.layers.reduce(0) { sum, layer in
      sum
        + (before.layers.lazy.map { layer.framesDecodedTwice(byCutAt: frame, after: $0) }.max() ?? 0)
    }
  }

  private func slice(at frame: Int) -> DraftSlice {
    var (low, high) = (0, slices.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if slices[middle].frames.upperBound <= frame { low = middle + 1 } else { high = middle }
    }
    return slices[low]
  }

  /// A range divided at frames within it, in order.
  private static func pieces(of range: Range<Int>, cutAt frames: [Int]) -> [Range<Int>] {
    let cuts = [range.lowerBound] + frames + [range.upperBound]
    return zip(cuts, cuts.dropFirst()).map { $0..<$1 }
  }
}
