import Timeline

/// The reason for an output's frame rate, and the source frames that the rate leaves out.
public struct FrameRateReport: Hashable, Codable, Sendable {
  /// Frames per second of the output.
  public var frameRate: RationalTime
  /// The reason for the rate.
  public var reason: Reason
  /// The source that needs the highest rate; `nil` if nothing moves.
  public var fastest: Source?
  /// The frames that no output frame shows, by asset; empty if every frame is shown.
  public var unshown: [UnshownFrames]

  /// A reason for an output's rate.
  public enum Reason: String, Hashable, Codable, Sendable {
    /// It is the lowest standard rate that shows every frame of the fastest source.
    case showsEveryFrame
    /// It is the highest standard rate, because none is certain to show every frame of the fastest source.
    case highestStandard
    /// It is the rate of the source whose packets are copied.
    case copiedSource
    /// The project sets it.
    case project
    /// Nothing moves, so any rate is suitable.
    case nothingMoves
  }

  /// A source and its rate.
  public struct Source: Hashable, Codable, Sendable {
    /// The asset's name in the project.
    public var asset: String
    /// Its constant rate in frames per second; `nil` if its rate varies.
    public var frameRate: RationalTime?
    /// The shortest time from one of its frames to the next, in seconds; `nil` if its rate is constant.
    public var shortestFrame: RationalTime?

    /// Creates a source.
    public init(asset: String, frameRate: RationalTime?, shortestFrame: RationalTime?) {
      self.asset = asset
      self.frameRate = frameRate
      self.shortestFrame = shortestFrame
    }
  }

  /// Frames of an asset that no output frame shows, although the timeline plays them completely at their own speed.
  public struct UnshownFrames: Hashable, Codable, Sendable {
    /// The maximum number of listed ``times``.
    public static let timeLimit = 20

    /// The asset's name in the project.
    public var asset: String
    /// The number of frames that are not shown.
    public var count: Int
    /// The number of frames that the timeline plays.
    public var total: Int
    /// The start times of the first of them, in seconds of the asset.
    public var times: [RationalTime]

    /// Creates a list of frames.
    public init(asset: String, count: Int, total: Int, times: [RationalTime]) {
      self.asset = asset
      self.count = count
      self.total = total
      self.times = times
    }
  }

  /// Creates a report.
  public init(
    frameRate: RationalTime, reason: Reason, fastest: Source?, unshown: [UnshownFrames]
  ) {
    self.frameRate = frameRate
    self.reason = reason
    self.fastest = fastest
    self.unshown = unshown
  }
}
