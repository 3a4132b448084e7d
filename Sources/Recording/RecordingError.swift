/// A call that a recording's state does not allow, or a sample that it cannot hold.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  public enum Code: Hashable, Sendable {
    /// The state does not allow the call.
    case illegalCall
    /// A track of this kind cannot be added.
    case unsupportedTrack
    /// There is no track with this number.
    case noSuchTrack
    /// A sample's decoding time is not after that of the previous sample of its track.
    case outOfOrder
  }

  /// The kind of error.
  public let code: Code
  /// The call that failed, the reason, and the remedy.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// The error for a call that a state forbids.
  static func illegal(_ call: String, _ subject: String, _ state: String, _ remedy: String) -> Self
  {
    RecordingError(.illegalCall, "\(call): \(subject) is \(state): \(remedy)")
  }
}
