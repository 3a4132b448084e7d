import Preparation

/// Limits how many large submissions the coordinator holds in memory at a time, and makes submitters take turns.
///
/// The names and paths of a project's files may take 8 MiB, and several times that while they are decoded. A job that
/// waits for a slot, for its submitter's planning quota, for workers or for chunks does not hold its submission in
/// memory. A job that fetches or hashes files holds a few of their names.
struct SubmissionRoom: Sendable {
  /// The size in bytes up to which a submission needs no slot, enough for some twenty files. Every job takes as much
  /// memory anyway.
  static let freeSize = 8 << 10
  /// The number of larger submissions that a room holds at a time. One submitter's jobs never take the last slot.
  static let slots = 3

  private let gate = FairGate(slots)

  /// Runs `body`, which holds a submission in memory, when there is room for it.
  ///
  /// - Parameters:
  ///   - submitter: the submitter of the job.
  ///   - byteCount: the size of the list of the submission's files in the ledger.
  func run<Value>(
    for submitter: String?, byteCount: Int, _ body: () async throws -> Value
  ) async throws -> Value {
    guard byteCount > Self.freeSize else { return try await body() }
    return try await gate.run(for: submitter, body)
  }
}
