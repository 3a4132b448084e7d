import Crypto
import FarmAPI
import Scheduling
import Timeline

/// A job that is on its way.
struct LiveJob: Sendable {
  /// Its place in the order of age.
  let number: Int
  /// Its priority.
  let priority: Int
  /// Who submitted it, where that is known.
  let submitter: String?
  /// The limits that apply to it.
  let limits: JobLimits
  /// Whether the ledger counts the current planning attempt.
  var isPlanningCounted = false
  /// The codec of its chunks, once planned.
  var codec: VideoSettings.Codec?
  /// The path of its plan, once planned.
  var planPath: String?
  /// The number of times that a part of its plan was found damaged.
  var plansSuspected = 0
  /// How many of its segments have chunks of earlier jobs.
  var segmentsReused = 0
  var meter = ProgressMeter()
  /// Where accepted chunks are announced.
  var chunks: AsyncStream<ChunkNews>.Continuation?
  /// The run that drives it from stage to stage.
  var run: Run?
}

/// A task that drives a job.
struct Run: Sendable {
  /// Distinct among the runs of a coordinator.
  let number: UInt64
  let task: Task<Void, Never>
}

/// A chunk that belongs at a place of a job's file.
struct AcceptedChunk: Hashable, Sendable {
  /// The segment's place in the plan.
  let segment: Int
  /// The chunk's bytes.
  let sha256: Digest
}

/// News about chunks for a job's run.
enum ChunkNews: Hashable, Sendable {
  /// A chunk was accepted.
  case accepted(AcceptedChunk)
  /// The job begins again: what was accepted before does not count.
  case restarted
}
