import Timeline

/// How a timeline is cut into segments.
///
/// Nothing here depends on the number of workers, so the plan of a project is the same on any farm.
public struct PlanOptions: Hashable, Sendable {
  /// The minimum number of output frames in a segment, unless the whole timeline has fewer.
  public static let minimumFrames = 5

  /// How often the usual segment length may be halved: to 1.25 seconds.
  static let halvings = 2

  /// The most work in a segment, in units of one decoded pixel, unless it has the shortest length: about a minute on one
  /// core that decodes 250 million pixels of H.264 a second.
  private static let mostWork: Int64 = 16_000_000_000

  /// The target number of output frames in a segment; `nil` chooses it from the timeline's length.
  public var targetFrames: Int?

  /// Whether the project follows a recording, so that its segments must stay the same while the recording grows. They
  /// then have their full length even on a short timeline, and the last one may be very short.
  var followsRecording = false

  /// Creates options with an optional segment length in output frames, which is raised to at least 10.
  public init(targetFrames: Int? = nil) { self.targetFrames = targetFrames }

  /// The effective segment length: five seconds, halved on a short timeline so that several workers have work, and if a
  /// segment would take too long.
  ///
  /// An edit that changes the timeline's length rarely changes this one, on which the places of cuts depend. It depends on
  /// the output's format, but not on the layers of single frames.
  ///
  /// - Parameters:
  ///   - frameCount: the number of output frames that are divided into segments.
  ///   - halvings: how often the length may be halved. Every segment costs a keyframe.
  ///   - frameCost: the work for a usual frame, in units of one decoded pixel.
  func targetFrames(
    frameCount: Int, frameDuration: RationalTime, halvings: Int, frameCost: Int64 = 0
  ) -> Int {
    if let targetFrames { return max(targetFrames, 2 * Self.minimumFrames) }
    let whole = try? RationalTime(5).ticks(of: frameDuration, rounding: .up)
    var length = whole.map { Int(clamping: $0) } ?? 1
    for _ in 0..<halvings {
      let isShort = !followsRecording && length > (frameCount + 7) / 8
      guard isShort || Int64(length) * frameCost > Self.mostWork else { break }
      length = (length + 1) / 2
    }
    return max(2 * Self.minimumFrames, length)
  }
}
