import Timeline

/// Divides a job's pictures into pieces for players that play the job while it is rendered.
///
/// A piece is a range of the frames of one segment, in decoding order, with the sound of the same time. It is about five
/// seconds long, so that players need not load an entire segment, which may be a minute of copied footage. The first
/// piece of each segment begins with a keyframe.
public struct StreamLayout: Hashable, Sendable {
  /// The length of one frame in seconds.
  public let frameDuration: RationalTime
  /// The usual number of frames in a piece.
  private let usualCount: Int

  /// The usual length of a piece in seconds.
  private static let usualLength: Int64 = 5
  /// The longest decoding delay in frames: the maximum in H.264 and H.265.
  public static let longestDelay = 16
  /// That delay, plus a frame for the encoder delay of the sound.
  private static let mostDelayedFrames = Int64(longestDelay + 1)

  /// Creates the layout of a film with a frame duration.
  public init(frameDuration: RationalTime) {
    self.frameDuration = frameDuration
    let count = try? RationalTime(Self.usualLength).ticks(of: frameDuration, rounding: .down)
    usualCount = Int(max(1, count ?? 1))
  }

  /// The time of the film's first frame in its stream, in whole seconds: ten, or more at very low frame rates. It leaves
  /// room for earlier decoding times, because a stream cannot have negative ones.
  public var startTime: Int64 {
    let delay = (try? frameDuration * Self.mostDelayedFrames) ?? .zero
    return max(10, (try? delay.ticks(of: RationalTime(1), rounding: .up)) ?? 10)
  }

  /// The pieces of a segment, as ranges of its frames. They differ in length by at most one frame.
  public func pieces(ofFrames count: Int) -> [Range<Int>] {
    let pieces = max(1, (count + usualCount / 2) / usualCount)
    return (0..<pieces).map { $0 * count / pieces..<($0 + 1) * count / pieces }
  }

  /// An upper bound on the length of a piece, in whole seconds.
  public var longestPiece: Int64 {
    let frames = Int64(usualCount + usualCount / 2 + 1)
    let length = (try? frameDuration * frames) ?? .zero
    return max(1, (try? length.ticks(of: RationalTime(1), rounding: .up)) ?? 1)
  }
}
