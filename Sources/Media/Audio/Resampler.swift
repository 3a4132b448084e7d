import CFFmpeg

/// Converts decoded audio of any format, layout and rate to planar 32-bit float at one rate: mono, stereo or 5.1.
///
/// Output sample `k` is at input time `k / rate`: the filter's delay is compensated, and ``flush()`` delivers the
/// tail. Gains are those of ``ChannelMatrix``. Nothing is clipped. Not thread-safe.
public final class Resampler {
  /// Samples per second of the output.
  public let rate: Int
  /// Channels of the output: 1, 2 or 6.
  public let channels: Int
  private let name: String
  private var converter: SampleConverter?

  /// Creates a resampler for the audio of the asset called `name`. The input's format is that of its frames.
  ///
  /// - Throws: ``MediaError`` with code `invalidSettings`.
  public init(rate: Int, channels: Int, named name: String) throws {
    LibavLog.installed
    guard (1000...384_000).contains(rate), ChannelMatrix.outputs.contains(channels) else {
      throw MediaError(
        .invalidSettings, "\(channels) audio channels at \(rate) Hz are not supported", on: name,
        remedy: "use 1, 2 or 6 channels at 1000 to 384000 Hz")
    }
    self.rate = rate
    self.channels = channels
    self.name = name
  }

  /// Converts a decoded run of samples. The result, per channel, may be longer or shorter than the run.
  ///
  /// If the input's format changes, the remaining samples of the old format come first.
  public func convert(_ frame: Frame) throws -> [[Float]] {
    if let converter, converter.input == frame.audioInput { return try converter.convert(frame) }
    let tail = try flush()
    let opened = try SampleConverter(
      from: frame.audioInput, layout: frame.channelLayout, toRate: rate, channels: channels,
      named: name)
    converter = opened
    let samples = try opened.convert(frame)
    return zip(tail, samples).map { $0 + $1 }
  }

  /// Adds samples to the next output, or removes some, by a slight change of the rate.
  ///
  /// - Parameters:
  ///   - count: the number of samples to add; negative to remove some.
  ///   - distance: the number of samples of the output over which the change is spread.
  func compensate(by count: Int, over distance: Int) throws {
    try converter?.compensate(by: count, over: distance)
  }

  /// The samples that the filter still holds. The next frame starts a new conversion.
  public func flush() throws -> [[Float]] {
    guard let converter else { return Array(repeating: [], count: channels) }
    self.converter = nil
    return try converter.convert(nil, count: 0)
  }
}
