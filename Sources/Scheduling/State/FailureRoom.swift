import FarmAPI

/// Limits how much memory the failed attempts of a job use. A worker can fail many segments, each with a long message.
public struct FailureRoom: Hashable, Sendable {
  /// The maximum number of bytes of workers' names, codes and messages that are stored for a job's failed attempts:
  /// room for some 30 of the longest messages.
  public static let bytesPerJob = 256 << 10
  /// The maximum number of bytes that are stored for the failed attempts of all live jobs.
  public static let bytesOfAllJobs = 16 << 20
  /// The message of an attempt whose own message is not stored.
  public static let replacement = "the message is omitted: other failed attempts have long ones"

  /// The number of bytes that are stored.
  public private(set) var byteCount = 0

  /// Creates an empty room.
  public init() {}

  /// Returns a failed attempt in the form in which it is stored: complete, or with a placeholder message if its own
  /// does not fit.
  ///
  /// - Parameter rest: the number of bytes that are available in total.
  public mutating func admit(_ attempt: FailedAttempt, within rest: Int = .max) -> FailedAttempt {
    let size =
      attempt.workerName.utf8.count + attempt.report.code.rawValue.utf8.count
      + attempt.report.message.utf8.count
    guard size <= min(rest, Self.bytesPerJob - byteCount) else { return abridge(attempt) }
    byteCount += size
    return attempt
  }

  /// The attempt without its long texts. The scheduler needs only its code and the worker's id.
  private func abridge(_ attempt: FailedAttempt) -> FailedAttempt {
    FailedAttempt(
      worker: attempt.worker, workerName: attempt.worker.rawValue,
      report: FailureReport(
        code: FailureCode(
          rawValue: attempt.report.code.rawValue.shortened(toCharacters: 40, bytes: 40)),
        message: Self.replacement, isPermanent: attempt.report.isPermanent))
  }
}
