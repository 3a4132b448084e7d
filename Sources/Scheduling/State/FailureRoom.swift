import FarmAPI

/// Limits how much memory the failed attempts of a job take. A worker can fail many segments, each with a long message.
public struct FailureRoom: Hashable, Sendable {
  /// The most bytes of workers' names, codes and messages that are held of a job's failed attempts: some 30 of the longest
  /// messages.
  public static let bytesPerJob = 256 << 10
  /// The most bytes that are held of the failed attempts of all live jobs.
  public static let bytesOfAllJobs = 16 << 20
  /// The message of an attempt whose own message is not held.
  public static let replacement = "the message is left out: other failed attempts have long ones"

  /// The number of bytes that are held.
  public private(set) var byteCount = 0

  /// Creates a room in which nothing is held.
  public init() {}

  /// Returns a failed attempt as it is to be held: whole, or with another message if its own does not fit.
  ///
  /// - Parameter rest: how many bytes there is room for elsewhere.
  public mutating func admit(_ attempt: FailedAttempt, within rest: Int = .max) -> FailedAttempt {
    let size =
      attempt.workerName.utf8.count + attempt.report.code.utf8.count
      + attempt.report.message.utf8.count
    guard size <= min(rest, Self.bytesPerJob - byteCount) else { return abridge(attempt) }
    byteCount += size
    return attempt
  }

  /// The attempt without what is long. Its code decides what follows, and the worker's id is held anyway.
  private func abridge(_ attempt: FailedAttempt) -> FailedAttempt {
    FailedAttempt(
      worker: attempt.worker, workerName: attempt.worker.rawValue,
      report: FailureReport(
        code: attempt.report.code.shortened(toCharacters: 40, bytes: 40),
        message: Self.replacement, isPermanent: attempt.report.isPermanent))
  }
}
