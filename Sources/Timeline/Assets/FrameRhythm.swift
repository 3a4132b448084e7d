/// How the frames of a stream follow one another.
package enum FrameRhythm: Hashable, Sendable {
  /// At a constant number of frames a second, of which some may be missing.
  case steady(RationalTime)
  /// At changing distances, of which the shortest is so many seconds.
  case variable(shortest: RationalTime)

  /// The rhythm of a stream; `nil` if it has a single frame and names no rate.
  package init?(of stream: VideoStream) {
    if let steady = SteadyFrames(stream) {
      self = .steady(steady.frameRate)
    } else {
      self.init(exactlyOf: stream, ownRate: nil)
    }
  }

  /// The rhythm that the times in the file have.
  ///
  /// - Parameter ownRate: the rate of a stream whose times are those of a constant rate, rounded.
  init?(exactlyOf stream: VideoStream, ownRate: RationalTime?) {
    if let ownRate {
      self = .steady(ownRate)
      return
    }
    let times = stream.frames.times
    guard times.count > 1 else {
      guard let rate = stream.nominalFrameRate, Self.believable.contains(rate) else { return nil }
      self = .steady(rate)
      return
    }
    var (shortest, longest) = (Int64.max, Int64.min)
    for (time, next) in zip(times, times.dropFirst()) {
      shortest = min(shortest, next - time)
      longest = max(longest, next - time)
    }
    guard let seconds = try? stream.timeBase * shortest, seconds > .zero else { return nil }
    if shortest == longest, let rate = try? RationalTime(1) / seconds {
      self = .steady(rate)
    } else {
      self = .variable(shortest: seconds)
    }
  }

  /// Rates that a file may claim without frames to show for it.
  private static let believable = RationalTime(1)...RationalTime(240)
}
