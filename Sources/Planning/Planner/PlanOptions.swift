import Timeline

/// How a time line is cut into segments.
///
/// Nothing here depends on how many workers there are: the plan of a project is the same for any farm.
public struct PlanOptions: Hashable, Sendable {
  /// The fewest output frames of a segment, unless the whole time line has fewer.
  public static let minimumFrames = 5

  /// The target number of output frames in a segment; `nil` chooses it from the timeline's length.
  public var targetFrames: Int?

  /// Options with an optional length of segments, in output frames, which is taken as 10 at least.
  public init(targetFrames: Int? = nil) { self.targetFrames = targetFrames }

  /// The length in force: five seconds, or less on a short time line so that several workers find work, but not below
  /// a second, since every segment costs a keyframe.
  func targetFrames(frameCount: Int, frameDuration: RationalTime) -> Int {
    if let targetFrames { return max(targetFrames, 2 * Self.minimumFrames) }
    func frames(_ seconds: Int64) -> Int {
      (try? RationalTime(seconds).ticks(of: frameDuration, rounding: .up)).map(Int.init) ?? 1
    }
    let share = (frameCount + 7) / 8
    return max(2 * Self.minimumFrames, min(frames(5), max(frames(1), share)))
  }
}
