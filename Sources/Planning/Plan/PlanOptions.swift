import Timeline

/// How a timeline is cut into segments.
///
/// Nothing here depends on the number of workers, so the plan of a project is the same on any farm.
public struct PlanOptions: Hashable, Sendable {
  /// The minimum number of output frames in a segment, unless the whole timeline has fewer.
  public static let minimumFrames = 5

  /// How often the usual segment length may be halved: to 1.25 seconds.
  static let halvings = 2

  /// The target number of output frames in a segment; `nil` chooses it from the timeline's length.
  public var targetFrames: Int?

  /// Whether the project follows a recording, so that its segments must stay the same while the recording grows. They
  /// then have their full length even on a short timeline, and the last one may be very short.
  var followsRecording = false

  /// Whether the segments of scenes that take much work are shorter. The work for the scene that is being recorded is not
  /// known in advance.
  var lengthsFollowCost: Bool { targetFrames == nil && !followsRecording }

  /// Creates options with an optional segment length in output frames, which is raised to at least 10.
  public init(targetFrames: Int? = nil) { self.targetFrames = targetFrames }

  /// The effective segment length: five seconds, halved on a short timeline so that several workers have work.
  ///
  /// An edit that changes the timeline's length rarely changes this one, on which the places of cuts depend.
  ///
  /// - Parameters:
  ///   - frameCount: the number of output frames that are divided into segments.
  ///   - halvings: how often the length may be halved. Every segment costs a keyframe.
  func targetFrames(frameCount: Int, frameDuration: RationalTime, halvings: Int) -> Int {
    if let targetFrames { return max(targetFrames, 2 * Self.minimumFrames) }
    let whole = try? RationalTime(5).ticks(of: frameDuration, rounding: .up)
    var length = whole.map { Int(clamping: $0) } ?? 1
    for _ in 0..<(followsRecording ? 0 : halvings) where length > (frameCount + 7) / 8 {
      length = (length + 1) / 2
    }
    return max(2 * Self.minimumFrames, length)
  }
}
