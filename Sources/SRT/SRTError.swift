import CSRT

/// The reason why an SRT connection failed.
public struct SRTError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public struct Code: Hashable, Sendable {
    private enum Value { case encryption, failed }

    private let value: Value

    /// The two ends have different passphrases, or only one of them has one.
    public static let encryption = Code(value: .encryption)
    /// The connection failed for another reason.
    public static let failed = Code(value: .failed)
  }

  /// The kind of the error.
  public let code: Code
  /// The problem, and the remedy if there is one, without a subject.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// The error of the last call on this thread.
  static var last: SRTError { SRTError(.failed, String(cString: srt_getlasterror_str())) }

  /// The error for a connection that the other end rejected or did not answer.
  static func rejection(of socket: SRTSOCKET, hasPassphrase: Bool) -> SRTError {
    let reason = srt_getrejectreason(socket)
    switch UInt32(bitPattern: reason) {
    case SRT_REJ_BADSECRET.rawValue:
      return SRTError(
        .encryption, "the sender has a different passphrase: use the same passphrase at both ends")
    case SRT_REJ_UNSECURE.rawValue where hasPassphrase:
      return SRTError(
        .encryption,
        "the sender does not encrypt: set the passphrase there too, or record without one")
    case SRT_REJ_UNSECURE.rawValue:
      return SRTError(
        .encryption, "the sender requires a passphrase: use the same passphrase at both ends")
    case SRT_REJ_TIMEOUT.rawValue, SRT_REJ_UNKNOWN.rawValue:
      return SRTError(
        .failed,
        "the sender does not answer over SRT: check its address, and that it listens there")
    default:
      return SRTError(
        .failed,
        "the sender rejected the connection (\(String(cString: srt_rejectreason_str(reason)))): "
          + "check the sender's settings")
    }
  }
}
