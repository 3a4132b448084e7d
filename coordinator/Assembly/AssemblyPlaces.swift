import Preparation

/// Limits how many files are assembled at a time, each by a process, and makes submitters take turns.
///
/// A job appends chunks while its other segments are rendered. If it lacks its next chunk for a while and another job
/// waits for a place, it gives up its place and its unfinished file, and starts again when it has all of its chunks. So a
/// job starts again at most once because of others, and a job with all of its chunks does not wait for workers.
struct AssemblyPlaces: Sendable {
  /// The time a job may keep its place without its next chunk while another job waits.
  static let patience = Duration.seconds(1)

  private let gate: FairGate

  /// - Parameter count: the number of places.
  init(_ count: Int) { gate = FairGate(count) }

  /// Whether a job waits for a place.
  var areWanted: Bool { gate.isContended }

  /// Runs `body` when it is the submitter's turn.
  func run<Value>(
    for submitter: String?, _ body: () async throws -> Value
  ) async throws -> Value {
    try await gate.run(for: submitter, body)
  }
}
