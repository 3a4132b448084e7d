import Preparation

/// Limits how many files are assembled at a time, each by its own process, and makes submitters take turns.
///
/// A job appends chunks while its other segments are rendered. If its next chunk, or that chunk's sound, is missing for a
/// while and another job waits for a slot, the job gives up its slot and its unfinished file, and starts again when it has
/// all its chunks and sound. So other jobs make a job start again at most once, and a job with all its chunks does not
/// wait for workers.
struct AssemblySlots: Sendable {
  /// How long a job may keep its slot without its next chunk, or its sound, while another job waits.
  static let patience = Duration.seconds(1)

  private let gate: FairGate

  /// - Parameter count: the number of slots.
  init(_ count: Int) { gate = FairGate(count) }

  /// Whether a job waits for a slot.
  var areWanted: Bool { gate.isContended }

  /// Runs `body` when it is the submitter's turn.
  func run<Value>(
    for submitter: String?, _ body: () async throws -> Value
  ) async throws -> Value {
    try await gate.run(for: submitter, body)
  }
}
