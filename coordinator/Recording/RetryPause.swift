import FarmAPI

/// Determines the pauses between attempts to receive a source.
///
/// A server of RTSP that rejects the password, or that sends nothing which can be recorded, is asked less and less often.
/// It may otherwise lock the user out. A server that cannot be reached is asked every second, so that little is missed
/// after it has restarted.
package struct RetryPause {
  private let isDoubled: Bool
  private var next = RecordingRun.pause

  /// The longest pause.
  static let longest = Duration.seconds(30)

  package init(for transport: RecordingSource.Transport) { isDoubled = transport == .rtsp }

  /// The length of the pause after an attempt.
  ///
  /// - Parameters:
  ///   - hasRecorded: whether something was recorded.
  ///   - failure: the reason why the attempt failed; `nil` if the source ended.
  package mutating func length(afterRecording hasRecorded: Bool, _ failure: FailureCode?)
    -> Duration
  {
    guard isDoubled, !hasRecorded || failure == .passphraseRejected, failure != .sourceUnreachable
    else {
      next = RecordingRun.pause
      return next
    }
    defer { next = min(next * 2, Self.longest) }
    return next
  }
}
