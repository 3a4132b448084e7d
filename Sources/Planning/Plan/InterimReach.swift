import Timeline

/// Finds the samples of an interim mix that a piece of sound depends on.
public struct InterimReach: Hashable, Codable, Sendable {
  /// Samples per second.
  public var sampleRate: Int
  /// The number of samples that are left out at the start of the mix.
  public var skippedSamples: Int64
  /// The number of samples before and after a piece that also affect its sound.
  public var margin: Int64

  /// The samples of 128 packets of AAC, which an encoder needs to begin and to look ahead.
  private static let encodingMargin: Int64 = 128 * 1024
  /// The time before a piece whose sound can duck it, in seconds.
  static let duckingTime: Int64 = 10

  init(of mix: MixDescription) {
    sampleRate = mix.settings.sampleRate
    skippedSamples = mix.skippedSamples ?? 0
    margin =
      Self.encodingMargin + (mix.ducking == nil ? 0 : Self.duckingTime * Int64(sampleRate))
  }

  /// The samples of the mix, including skipped ones, that decide the sound in a range of the film's time; `nil` stands for
  /// its start and its end.
  ///
  /// - Throws: `TimeError` if a number is out of range.
  public func samples(
    from start: RationalTime?, before end: RationalTime?
  ) throws(TimeError) -> Range<Int64> {
    let sample = try RationalTime(1, Int64(sampleRate))
    // A media process made these numbers.
    let (reach, skipped) = (RationalTime(margin), RationalTime(skippedSamples))
    var (first, last): (Int64, Int64) = (0, .max)
    if let start {
      let time = try RationalTime(start.ticks(of: sample, rounding: .down))
      first = max(0, try (time + skipped - reach).numerator)
    }
    if let end {
      let time = try RationalTime(end.ticks(of: sample, rounding: .up))
      last = try (time + skipped + reach).numerator
    }
    return first..<max(first, last)
  }
}

extension MixDescription {
  /// The samples that decide the sound of pieces of an interim mix.
  public var interimReach: InterimReach { InterimReach(of: self) }
}
