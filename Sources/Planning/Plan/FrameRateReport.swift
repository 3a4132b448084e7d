import Timeline

/// Why an output has its frame rate, and what of its sources the rate leaves out.
public struct FrameRateReport: Hashable, Codable, Sendable {
  /// Frames per second of the output.
  public var frameRate: RationalTime
  /// Why it is this one.
  public var reason: Reason
  /// The source that asks for the highest rate; `nil` if nothing moves.
  public var fastest: Source?
  /// The frames that no output frame shows, by asset; empty if every frame is shown.
  public var unshown: [UnshownFrames]

  /// Why an output has a rate.
  public enum Reason: String, Hashable, Codable, Sendable {
    /// It is the lowest standard rate that shows every frame of the fastest source.
    case showsEveryFrame
    /// It is the highest standard rate, and none is sure to show every frame of the fastest source.
    case highestStandard
    /// It is the rate of the source whose packets are copied.
    case copiedSource
    /// The project names it.
    case project
    /// Nothing moves, so any would do.
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

    /// A source from its parts.
    public init(asset: String, frameRate: RationalTime?, shortestFrame: RationalTime?) {
      self.asset = asset
      self.frameRate = frameRate
      self.shortestFrame = shortestFrame
    }
  }

  /// Frames of an asset that no output frame shows, though a part of the timeline plays them whole at their own speed.
  public struct UnshownFrames: Hashable, Codable, Sendable {
    /// The most ``times`` that are listed.
    public static let timeLimit = 20

    /// The asset's name in the project.
    public var asset: String
    /// How many frames are not shown.
    public var count: Int
    /// How many frames the timeline plays.
    public var total: Int
    /// When the first of them begin, in seconds of the asset.
    public var times: [RationalTime]

    /// Frames from their parts.
    public init(asset: String, count: Int, total: Int, times: [RationalTime]) {
      self.asset = asset
      self.count = count
      self.total = total
      self.times = times
    }
  }

  /// A report from its parts.
  public init(
    frameRate: RationalTime, reason: Reason, fastest: Source?, unshown: [UnshownFrames]
  ) {
    self.frameRate = frameRate
    self.reason = reason
    self.fastest = fastest
    self.unshown = unshown
  }
}
