import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling
import Timeline

/// A job that has not ended.
struct LiveJob: Sendable {
  let name: String
  /// Its position in order of submission.
  let number: Int
  var priority: Int
  /// Its submitter, if known.
  let submitter: String?
  /// The limits that apply to it.
  let limits: JobLimits
  /// Whether the ledger counts the current planning attempt.
  var isPlanningCounted = false
  /// The codec of its chunks, once planned.
  var codec: VideoSettings.Codec?
  /// The SHA-256 of its plan, once planned.
  var plan: Digest?
  /// The number of times that a part of its plan was found damaged.
  var plansSuspected = 0
  /// Whether it follows a recording that has not ended.
  var isFollowing = false
  /// The number of its segments that have chunks of earlier jobs.
  var segmentsReused = 0
  /// How each of its segments is made; `nil` if unknown.
  var segmentKinds: SegmentKinds?
  /// The drawing of its segments that was made last.
  var drawing: Drawing?
  var meter = ProgressMeter()
  /// The number of frames of its output, once planned.
  var frameCount: Int?
  /// The URL that its submission names for notifications.
  var notify: AssetURL?
  /// The pool whose workers render it; `nil` for all workers.
  var pool: PoolName?
  /// The last step of progress that was reported, in percent; `nil` if nobody wants to know.
  var announcedPercent: Int?
  /// Its plan without the plan's lists, once its segments may be leased.
  var facts: PlanFacts?
  /// The mix of its sound in its run's folder, once made.
  var mix: AssetFile?
  /// The number of segments that its playlist has listed.
  var listedSegments = 0
  /// Receives the accepted chunks.
  var chunks: AsyncStream<ChunkNews>.Continuation?
  /// The run that drives it from stage to stage.
  var run: Run?
}

extension LiveJob {
  /// A drawing of a job's segments as they were at a revision.
  struct Drawing: Sendable {
    /// The scheduler's revision of the job; `nil` if the job was not scheduled.
    let revision: Int?
    let drawing: SegmentDrawing?
  }
}

struct RunRequest: Sendable {
  let job: JobID
  /// Distinct among the runs of a coordinator.
  let number: UInt64
}

/// A task that drives a job.
struct Run: Sendable {
  /// Distinct among the runs of a coordinator.
  let number: UInt64
  /// `nil` until the run has begun.
  var task: Task<Void, Never>?
}

/// A chunk with its position in a job's file.
struct AcceptedChunk: Hashable, Sendable {
  /// The segment's index in the plan.
  let segment: Int
  /// The SHA-256 of the chunk's bytes.
  let sha256: Digest
}

/// News about chunks for a job's run.
enum ChunkNews: Hashable, Sendable {
  /// A chunk was accepted.
  case accepted(AcceptedChunk)
  /// The job restarts: chunks accepted before no longer count.
  case restarted
}
