/// The requested format of samples.
public struct SoundCaptureRequest: Hashable, Sendable {
  /// The sample rate in Hz; `nil` for 48,000, or the nearest one.
  public var sampleRate: Int?
  /// The number of channels; `nil` for two, or as many as there are.
  public var channels: Int?

  /// Creates a request.
  public init(sampleRate: Int? = nil, channels: Int? = nil) {
    self.sampleRate = sampleRate
    self.channels = channels
  }
}
