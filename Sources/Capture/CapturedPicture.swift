/// A picture that a video device captured. It is valid only while its buffer is borrowed.
public struct CapturedPicture {
  /// The bytes, in the format of the device.
  public let bytes: UnsafeRawBufferPointer
  /// When the device captured it (CLOCK_MONOTONIC). Times increase.
  public let time: Duration
  /// The number of pictures that the device dropped before this one and after the previous one.
  public let lost: Int
  /// Whether the bytes are incomplete or wrong.
  public let isDamaged: Bool
}
