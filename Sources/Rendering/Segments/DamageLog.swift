import Planning
import Timeline

/// Collects the output frames that show damaged source frames.
package final class DamageLog {
  package init() {}

  /// The concealments in the order of output frames. Consecutive frames of an asset form one.
  package private(set) var concealments: [Concealment] = []
  /// The current output frame, counted from the segment's first.
  package var frame = 0

  /// Records that the current frame shows a damaged source frame.
  func note(_ source: SourceStream, at tick: Int64) {
    guard let time = try? source.stream.timeBase * tick - (source.start ?? .zero) else { return }
    let last = concealments.lastIndex { $0.asset == source.asset }
    if let last, let frames = concealments[last].frames, frames.upperBound >= frame {
      concealments[last].frames = frames.lowerBound..<frame + 1
    } else {
      concealments.append(
        Concealment(asset: source.asset, time: time, frames: frame..<frame + 1))
    }
  }
}
