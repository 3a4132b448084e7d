import Timeline

/// Which samples of an interim mix decide the sound of a piece.
public struct InterimTiming: Hashable, Codable, Sendable {
  /// Samples per second.
  public var sampleRate: Int
  /// The number of samples that are left out at the start of the mix.
  public var skippedSamples: Int64
  /// The number of samples before and after a piece that decide its sound, too.
  public var margin: Int64

  /// The samples of 128 packets of AAC, which an encoder needs to begin and to look ahead.
  private static let encodingMargin: Int64 = 128 * 1024
  /// How much of the mix before a piece decides how it is ducked, in seconds.
  private static let duckingTime: Int64 = 10

  init(of mix: MixDescription) {
    sampleRate = mix.settings.sampleRate
    skippedSamples = mix.skippedSamples ?? 0
    margin =
      Self.encodingMargin + (mix.ducking == nil ? 0 : Self.duckingTime * Int64(sampleRate))
  }

  /// The samples of the mix, including skipped ones, that decide the sound in a range of the film's time; `nil` stands for
  /// its start and its end.
  public func samples(
    from start: RationalTime?, before end: RationalTime?
  ) throws(TimeError) -> Range<Int64> {
    let sample = try RationalTime(1, Int64(sampleRate))
    var (first, last): (Int64, Int64) = (0, .max)
    if let start {
      first = max(0, try start.ticks(of: sample, rounding: .down) + skippedSamples - margin)
    }
    if let end {
      last = try end.ticks(of: sample, rounding: .up) + skippedSamples + margin
    }
    return first..<max(first, last)
  }
}

extension MixDescription {
  /// The samples that decide the sound of pieces of an interim mix.
  public var interimTiming: InterimTiming { InterimTiming(of: self) }
}
