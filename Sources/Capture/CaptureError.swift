import Glibc

/// The reason why a device cannot capture, or no longer captures.
public struct CaptureError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public struct Code: Hashable, Sendable {
    private enum Value { case unsupported, busy, noSignal, unplugged, failed }

    private let value: Value

    /// The device cannot do this.
    public static let unsupported = Code(value: .unsupported)
    /// Another program uses the device.
    public static let busy = Code(value: .busy)
    /// The selected input has no usable signal, or its format changed.
    public static let noSignal = Code(value: .noSignal)
    /// The device was disconnected.
    public static let unplugged = Code(value: .unplugged)
    /// The device failed for another reason.
    public static let failed = Code(value: .failed)
  }

  /// The kind of the error.
  public let code: Code
  /// The problem, and the remedy if there is one, without a subject.
  public let problem: String
  /// The system's error number, or 0 if there is none.
  public let number: Int32

  init(_ code: Code, _ problem: String, number: Int32 = 0) {
    self.code = code
    self.problem = problem
    self.number = number
  }

  /// One line: the problem, the remedy and the system's message.
  public var description: String {
    number == 0 ? problem : "\(problem) (\(String(cString: strerror(number))))"
  }

  /// The error of a call that failed.
  ///
  /// - Parameter problem: what failed, unless the number says more.
  package static func system(_ problem: String, number: Int32) -> CaptureError {
    switch number {
    case ENODEV, ENXIO, EBADFD:
      CaptureError(.unplugged, "the device was disconnected", number: number)
    case EBUSY:
      CaptureError(.busy, "another program uses the device: close that program", number: number)
    case ENOSPC:
      CaptureError(
        .failed,
        "the USB bus has no bandwidth left for the device: request a smaller size or a lower frame "
          + "rate, or use another USB port", number: number)
    case ENOLINK:
      CaptureError(
        .noSignal, "the device receives no signal: check the cable and the sender", number: number)
    case ENOLCK:
      CaptureError(
        .noSignal, "the device cannot lock to the signal: check the cable", number: number)
    case ERANGE:
      CaptureError(
        .noSignal, "the device does not support the format of the signal: change it at the sender",
        number: number)
    default: CaptureError(.failed, problem, number: number)
    }
  }
}
