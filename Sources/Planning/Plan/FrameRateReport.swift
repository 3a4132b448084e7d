import Timeline

/// The reason for an output's frame rate, and the source frames that the rate leaves out.
public struct FrameRateReport: Hashable, Codable, Sendable {
  /// The maximum number of assets in ``unshown``.
  public static let assetLimit = 20
  /// The maximum length of an asset's name in a report, in bytes of UTF-8. Longer names are cut.
  public static let nameLimit = 256

  /// Frames per second of the output.
  public var frameRate: RationalTime
  /// The reason for the rate.
  public var reason: Reason
  /// The source that needs the highest rate, or the one whose rate is continued; `nil` if nothing moves.
  public var fastest: Source?
  /// The frames that no output frame shows, by asset, for at most ``assetLimit`` assets; empty if every frame is shown.
  public var unshown: [UnshownFrames]
  /// The number of assets with frames that no output frame shows; `nil` if ``unshown`` lists all of them.
  public var unshownAssets: Int?

  private enum CodingKeys: String, CodingKey {
    case frameRate, reason, fastest, unshown, unshownAssets
  }

  /// A reason for an output's rate.
  public enum Reason: String, Hashable, Codable, Sendable, CaseIterable {
    /// It is the lowest standard rate that shows every frame of the fastest source.
    case showsEveryFrame = "showsEveryFrame"
    /// It is the highest standard rate, because none is certain to show every frame of the fastest source.
    case highestStandard = "highestStandard"
    /// It is the rate of the source whose packets are copied.
    case copiedSource = "copiedSource"
    /// The project sets it.
    case project = "project"
    /// Nothing moves, so any rate is suitable.
    case nothingMoves = "nothingMoves"
  }

  /// A source and its rate.
  public struct Source: Hashable, Codable, Sendable {
    /// The asset's name in the project.
    public var asset: String
    /// Its constant rate in frames per second; `nil` if its rate varies.
    public var frameRate: RationalTime?
    /// The shortest time from one of its frames to the next, in seconds; `nil` if its rate is constant.
    public var shortestFrame: RationalTime?

    private enum CodingKeys: String, CodingKey {
      case asset, frameRate, shortestFrame
    }

    /// Creates a source, with a name of at most ``FrameRateReport/nameLimit`` bytes.
    public init(asset: String, frameRate: RationalTime?, shortestFrame: RationalTime?) {
      self.asset = asset.shortened(toBytes: FrameRateReport.nameLimit)
      self.frameRate = frameRate
      self.shortestFrame = shortestFrame
    }

    /// Decodes a source and shortens its name, which earlier versions did not do.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        asset: try container.decode(String.self, forKey: .asset),
        frameRate: try container.decodeIfPresent(RationalTime.self, forKey: .frameRate),
        shortestFrame: try container.decodeIfPresent(RationalTime.self, forKey: .shortestFrame))
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
    /// The start times of the first frames that are not shown, in seconds of the asset.
    public var times: [RationalTime]

    private enum CodingKeys: String, CodingKey {
      case asset, count, total, times
    }

    /// Creates a list of frames, with a name of at most ``FrameRateReport/nameLimit`` bytes and the first
    /// ``timeLimit`` times.
    public init(asset: String, count: Int, total: Int, times: [RationalTime]) {
      self.asset = asset.shortened(toBytes: FrameRateReport.nameLimit)
      self.count = count
      self.total = total
      self.times = Array(times.prefix(Self.timeLimit))
    }

    /// Decodes a list and shortens the name, which earlier versions did not do.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      var times = try container.nestedUnkeyedContainer(forKey: .times)
      self.init(
        asset: try container.decode(String.self, forKey: .asset),
        count: try container.decode(Int.self, forKey: .count),
        total: try container.decode(Int.self, forKey: .total),
        times: try times.decodeFirst(Self.timeLimit))
    }
  }

  /// Creates a report that lists at most ``assetLimit`` assets.
  ///
  /// - Parameters:
  ///   - unshown: the frames that no output frame shows, by asset.
  ///   - unshownAssets: the number of assets with such frames; as many as `unshown` has by default.
  public init(
    frameRate: RationalTime, reason: Reason, fastest: Source?, unshown: [UnshownFrames],
    unshownAssets: Int? = nil
  ) {
    self.frameRate = frameRate
    self.reason = reason
    self.fastest = fastest
    self.unshown = Array(unshown.prefix(Self.assetLimit))
    self.unshownAssets = unshownAssets ?? (unshown.count > Self.assetLimit ? unshown.count : nil)
  }

  /// Decodes a report. Earlier versions listed all assets; only the first ``assetLimit`` are decoded.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    var assets = try container.nestedUnkeyedContainer(forKey: .unshown)
    let unshown: [UnshownFrames] = try assets.decodeFirst(Self.assetLimit)
    let listed = assets.isAtEnd ? nil : assets.count
    self.init(
      frameRate: try container.decode(RationalTime.self, forKey: .frameRate),
      reason: try container.decode(Reason.self, forKey: .reason),
      fastest: try container.decodeIfPresent(Source.self, forKey: .fastest), unshown: unshown,
      unshownAssets: try container.decodeIfPresent(Int.self, forKey: .unshownAssets) ?? listed)
  }

  /// The report with the number of assets, but without their list.
  public var withoutList: FrameRateReport {
    guard !unshown.isEmpty else { return self }
    return FrameRateReport(
      frameRate: frameRate, reason: reason, fastest: fastest, unshown: [],
      unshownAssets: unshownAssets ?? unshown.count)
  }
}

extension UnkeyedDecodingContainer {
  /// Decodes at most `limit` elements. The others take no memory.
  fileprivate mutating func decodeFirst<Element: Decodable>(_ limit: Int) throws -> [Element] {
    var elements: [Element] = []
    while !isAtEnd, elements.count < limit { elements.append(try decode(Element.self)) }
    return elements
  }
}
