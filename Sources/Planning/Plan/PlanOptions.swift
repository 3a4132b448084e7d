import Timeline

/// How a timeline is cut into segments.
///
/// Nothing here depends on the number of workers, so the plan of a project is the same on any farm.
public struct PlanOptions: Hashable, Sendable {
  /// The minimum number of output frames in a segment, unless the whole timeline has fewer.
  public static let minimumFrames = 5

  /// The shortest usual segment, in seconds, because every segment costs a keyframe.
  static let fewestSeconds: Int64 = 1

  /// The target number of output frames in a segment; `nil` chooses it from the timeline's length.
  public var targetFrames: Int?

  /// Creates options with an optional segment length in output frames, which is raised to at least 10.
  public init(targetFrames: Int? = nil) { self.targetFrames = targetFrames }

  /// The effective segment length: five seconds, or less on a short timeline so that several workers have work.
  ///
  /// - Parameters:
  ///   - frameCount: the number of output frames that are divided into segments.
  ///   - fewestSeconds: the shortest length in seconds.
  func targetFrames(frameCount: Int, frameDuration: RationalTime, fewestSeconds: Int64)
    -> Int
  {
    if let targetFrames { return max(targetFrames, 2 * Self.minimumFrames) }
    func frames(_ seconds: Int64) -> Int {
      (try? RationalTime(seconds).ticks(of: frameDuration, rounding: .up)).map(Int.init) ?? 1
    }
    let share = (frameCount + 7) / 8
    return max(
      2 * Self.minimumFrames, min(frames(5), max(frames(fewestSeconds), share)))
  }
}
