import Timeline

/// The settings to request from capture devices, which deliver the closest ones they have.
public struct CaptureSettings: Hashable, Codable, Sendable {
  /// The size of the pictures; `nil` for the device's current one.
  public var size: PixelSize?
  /// Pictures per second; `nil` for the most that the device offers, up to 60.
  public var frameRate: RationalTime?
  /// Samples per second of the sound; `nil` for 48,000.
  public var sampleRate: Int?
  /// Channels of the sound; `nil` for 2.
  public var channels: Int?

  /// The allowed values of the width and the height.
  public static let sides = 16...16384
  /// The allowed values of ``sampleRate``.
  public static let sampleRates = 8000...192_000
  /// The allowed values of ``channels``.
  public static let channelCounts = 1...6

  /// Creates settings.
  public init(
    size: PixelSize? = nil, frameRate: RationalTime? = nil, sampleRate: Int? = nil,
    channels: Int? = nil
  ) {
    self.size = size
    self.frameRate = frameRate
    self.sampleRate = sampleRate
    self.channels = channels
  }

  /// The first problem with using them for a source; `nil` if there is none.
  public func problem(with source: RecordingSource) -> String? {
    guard source.transport == .devices else {
      return "`capture` is only for capture devices: remove it"
    }
    if size != nil || frameRate != nil, !source.devices.contains(where: \.isVideo) {
      return "a size and a frame rate need a camera as the source: remove them"
    }
    if sampleRate != nil || channels != nil, source.devices.allSatisfy(\.isVideo) {
      return "a sample rate and channels need a sound card as the source: remove them"
    }
    return problem
  }

  /// The first value that is not allowed, and those that are; `nil` if all are allowed.
  private var problem: String? {
    if let size, !Self.sides.contains(size.width) || !Self.sides.contains(size.height) {
      return "the width and the height must be from \(Self.sides.lowerBound) to "
        + "\(Self.sides.upperBound) pixels"
    }
    if let frameRate, frameRate <= .zero || frameRate > RationalTime(1000) {
      return "frameRate must be more than 0, and at most 1000"
    }
    if let sampleRate, !Self.sampleRates.contains(sampleRate) {
      return "sampleRate must be from \(Self.sampleRates.lowerBound) to "
        + "\(Self.sampleRates.upperBound)"
    }
    if let channels, !Self.channelCounts.contains(channels) {
      return "channels must be from \(Self.channelCounts.lowerBound) to "
        + "\(Self.channelCounts.upperBound)"
    }
    return nil
  }
}
