/// An audio stream of an asset.
public struct AudioStream: Hashable, Codable, Sendable {
  /// The stream's index in the container.
  public var streamIndex: Int
  /// The codec's name, e.g. `aac`.
  public var codec: String
  /// Seconds per tick, for all times below.
  public var timeBase: RationalTime
  /// Samples per second.
  public var sampleRate: Int
  /// The number of channels.
  public var channels: Int
  /// The layout's name, e.g. `stereo`, `5.1`.
  public var layout: String
  /// The presentation time of the first audible sample (after the encoder delay), in ticks.
  public var start: Int64
  /// The presentation time of the end of the last sample, in ticks.
  public var end: Int64
  /// The encoder delay that the container declares, in samples.
  public var encoderDelay: Int
  /// The parts that are damaged according to their packets, without decoding; `nil` if there are none.
  public var damage: [DamagedRange]?
  /// The reason why the stream cannot be decoded, e.g. `is encrypted (enca)`; `nil` if it can.
  public var unreadable: String?

  /// Creates a stream.
  public init(
    streamIndex: Int, codec: String, timeBase: RationalTime, sampleRate: Int, channels: Int,
    layout: String, start: Int64, end: Int64, encoderDelay: Int
  ) {
    self.streamIndex = streamIndex
    self.codec = codec
    self.timeBase = timeBase
    self.sampleRate = sampleRate
    self.channels = channels
    self.layout = layout
    self.start = start
    self.end = end
    self.encoderDelay = encoderDelay
  }
}
