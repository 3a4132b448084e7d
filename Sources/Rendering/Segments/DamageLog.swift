import Planning
import Timeline

/// Gathers the output frames that show damaged source frames.
package final class DamageLog {
  package init() {}

  /// What was concealed, in the order of output frames; each asset's frames in a row are one.
  package private(set) var concealments: [Concealment] = []
  /// The output frame that is being made, counted from the segment's first.
  package var frame = 0

  /// Notes that the frame shows a damaged one of a source.
  func note(_ source: SourceStream, at tick: Int64) {
    guard let time = try? source.stream.timeBase * tick else { return }
    let last = concealments.lastIndex { $0.asset == source.asset }
    if let last, let frames = concealments[last].frames, frames.upperBound >= frame {
      concealments[last].frames = frames.lowerBound..<frame + 1
    } else {
      concealments.append(
        Concealment(asset: source.asset, time: time, frames: frame..<frame + 1))
    }
  }
}
