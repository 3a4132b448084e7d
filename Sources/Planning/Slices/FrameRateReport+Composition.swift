import Timeline

extension FrameRateReport {
  /// Creates the report on an output of a composition.
  ///
  /// - Parameters:
  ///   - frameDuration: the length of one output frame, in seconds.
  ///   - composition: the composition that the output shows.
  ///   - copies: whether packets are copied where possible.
  ///   - continued: the asset whose rate the preset `automatic` continues.
  ///   - unshown: the frames that no output frame shows.
  init(
    frameDuration: RationalTime, showing composition: Composition, copies: Bool, continued: String?,
    indexes: [String: MediaIndex], unshown: [UnshownFrames]
  ) throws(TimeError) {
    let rate = try RationalTime(1) / frameDuration
    let sources = Self.sources(of: composition, indexes: indexes)
    let derived = StandardFrameRates.rate(showing: sources.map(\.rhythm))
    /// The output rate that a source needs, together with its own rate to order sources that need the same.
    func demand(_ rhythm: FrameRhythm) -> (RationalTime, RationalTime) {
      let standard =
        StandardFrameRates.lowest(showingEveryFrameOf: rhythm) ?? RationalTime(Int64(Int32.max))
      switch rhythm {
      case .steady(let rate): return (standard, rate)
      case .variable(let shortest):
        return (standard, (try? RationalTime(1) / shortest) ?? .zero)
      }
    }
    let fastest =
      sources.first { $0.asset == continued && $0.rhythm == .steady(rate) }
      ?? sources.max { demand($0.rhythm) < demand($1.rhythm) }
    let reason: Reason
    switch fastest?.rhythm {
    case nil: reason = rate == RationalTime(30) ? .nothingMoves : .project
    case .steady(rate) where copies: reason = .copiedSource
    case .some(let rhythm) where rate == derived:
      reason =
        StandardFrameRates.lowest(showingEveryFrameOf: rhythm) == nil
        ? .highestStandard : .showsEveryFrame
    case .some: reason = .project
    }
    self.init(
      frameRate: rate, reason: reason,
      fastest: fastest.map { Source(asset: $0.asset, rhythm: $0.rhythm) }, unshown: unshown)
  }

  private static func sources(of composition: Composition, indexes: [String: MediaIndex])
    -> [(asset: String, rhythm: FrameRhythm)]
  {
    struct Key: Hashable {
      let asset: String
      let number: Int
    }
    var seen: Set<Key> = []
    var sources: [(asset: String, rhythm: FrameRhythm)] = []
    for track in composition.tracks where track.mediaType == .video {
      for segment in track.segments
      where seen.insert(Key(asset: segment.asset, number: segment.trackIndex)).inserted {
        guard let index = indexes[segment.asset], !index.isStillImage,
          index.video.indices.contains(segment.trackIndex),
          let rhythm = FrameRhythm(of: index.video[segment.trackIndex])
        else { continue }
        sources.append((segment.asset, rhythm))
      }
    }
    return sources
  }
}

extension FrameRateReport.Source {
  fileprivate init(asset: String, rhythm: FrameRhythm) {
    switch rhythm {
    case .steady(let rate): self.init(asset: asset, frameRate: rate, shortestFrame: nil)
    case .variable(let shortest):
      self.init(asset: asset, frameRate: nil, shortestFrame: shortest)
    }
  }
}

/// The frames that no output frame shows, collected by asset.
struct UnshownFramesByAsset {
  private var entries: [FrameRateReport.UnshownFrames] = []
  /// The entries' places by the assets' full names, which the entries shorten.
  private var places: [String: Int] = [:]

  /// The assets with such frames, in the order in which they were added.
  var assets: [FrameRateReport.UnshownFrames] { entries.filter { $0.count > 0 } }

  /// Adds the frames of a stream that a mapping leaves out.
  ///
  /// - Parameter outputs: the output frames that show the mapping's segments.
  mutating func add(
    _ mapping: FrameMapping, of asset: String, _ stream: VideoStream, _ index: MediaIndex,
    in outputs: Range<Int>
  ) throws(TimeError) {
    guard let (unshown, total) = mapping.unshown(in: outputs), total > 0 else { return }
    let place = places[asset] ?? entries.count
    if place == entries.count {
      places[asset] = place
      entries.append(FrameRateReport.UnshownFrames(asset: asset, count: 0, total: 0, times: []))
    }
    entries[place].total += total
    entries[place].count += unshown.count
    for frame in unshown.prefix(
      FrameRateReport.UnshownFrames.timeLimit - entries[place].times.count)
    {
      let time = try stream.timeBase * stream.frames.times[frame] - index.start
      if !entries[place].times.contains(time) { entries[place].times.append(time) }
    }
  }
}
