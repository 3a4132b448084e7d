/// The timing of a stream's frames.
package enum FrameRhythm: Hashable, Sendable {
  /// A constant frame rate, in frames per second. Some frames may be missing.
  case steady(RationalTime)
  /// A variable frame rate, with the shortest time between frames in seconds.
  case variable(shortest: RationalTime)

  /// Determines the rhythm of a stream. Returns `nil` if it has a single frame and no nominal rate.
  package init?(of stream: VideoStream) {
    if let steady = SteadyFrames(stream) {
      self = .steady(steady.frameRate)
    } else {
      self.init(exactlyOf: stream, ownRate: nil)
    }
  }

  /// Determines the rhythm of the exact times in the file.
  ///
  /// - Parameter ownRate: The constant rate of a stream whose times are rounded.
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

  /// The plausible range of a declared rate that no frames confirm.
  private static let believable = RationalTime(1)...RationalTime(240)
}
