/// Frames that a sound card captured, with one sample of each channel in a frame.
public struct CapturedSound: Hashable, Sendable {
  /// The number of bytes, all of whole frames.
  public let bytes: Int
  /// When the first frame was captured (CLOCK_MONOTONIC). The times that drivers state may jitter by a few milliseconds.
  public let time: Duration
  /// The number of frames that were captured before these and after the previous ones, and lost because they were not
  /// taken in time or because the host was suspended.
  public let lost: Int
}
