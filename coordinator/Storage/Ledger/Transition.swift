import Crypto
import FarmAPI
import Foundation
import Planning
import Scheduling

/// A change of the farm's state, as the ledger records it.
package enum Transition: Hashable, Sendable {
  case attemptBegan(Grant, at: Date)
  /// An attempt ended without an accepted chunk. Its worker last reported this many frames, if any.
  case attemptEnded(Grant, AttemptOutcome, framesRendered: Int?, at: Date)
  /// The log of an attempt that has ended.
  case attemptLogged(Grant, String)
  /// A segment's chunk is stored and accepted.
  case chunkAccepted(Grant, DeliveredChunk, by: Deliverer, at: Date)
  /// A segment's chunk is stored and held for comparison with another worker's.
  case chunkHeld(Grant, DeliveredChunk, by: Deliverer, at: Date)
  /// A held chunk becomes its segment's chunk.
  case chunkConfirmed(SegmentID, Digest)
  /// All held chunks of a segment are dropped.
  case heldChunksDropped(SegmentID)
  /// A worker's held chunk of a segment is dropped.
  case heldChunkDropped(SegmentID, by: WorkerID)
  /// A segment reuses the chunk of an earlier job's segment with the same content.
  case chunkReused(SegmentID, KeptChunk, at: Date)
  /// A chunk is kept for later jobs.
  case chunkKept(SegmentID, KeptChunk, at: Date)
  /// The chunks with the given content keys are no longer kept for later jobs.
  case keptChunksForgotten([String])
  /// A segment's chunk is missing, so the segment must be rendered again.
  case chunkDropped(SegmentID)
  /// A segment's chunk is bad, so the segment must be rendered again. The attempt is the one to blame, if known.
  case chunkRefused(SegmentID, FailedAttempt?)
  /// A job starts over from its first segment, regardless of accepted chunks.
  case jobRestarted(JobID)
  /// A segment will not be tried again.
  case segmentGivenUp(SegmentID)
  /// The workers of one fingerprint render a job.
  case fingerprintFixed(JobID, String?)
  /// A job enters another state that is not its last.
  case jobAdvanced(JobID, JobState)
  /// A job has another priority.
  case jobPrioritized(JobID, Int)
  /// A final job is deleted with everything that belongs to it alone.
  case jobDeleted(JobID)
  /// A job's sound was mixed, with a loudness if the project sets one, and with damaged sound silenced if there is any.
  case soundMixed(JobID, LoudnessReport?, concealing: StoredConcealments?)
  case jobFailed(JobID, JobFailure, at: Date)
  /// A job was cancelled.
  case jobCancelled(JobID, at: Date)
  /// A job's file is finished.
  case jobCompleted(JobID, OutputFile, at: Date)
  /// A completed job's file is damaged or missing, so the job has failed.
  case outputLost(JobID, JobFailure, at: Date)
  /// The file of a completed job is deleted, but not the job.
  case outputDeleted(JobID, OutputDeletion)
  /// The file of a completed job that was damaged or missing is sound again, so the job is completed again.
  case outputRecovered(JobID, Digest)
  /// The lost file of a retried job contains chunks that are no longer trusted, so it cannot complete the job again.
  case lostOutputForgotten(JobID)
  /// A failed or cancelled job restarts; its accepted chunks are kept.
  case jobRetried(JobID)
  /// A notification of a job is to be delivered, if the job is in the state that it reports.
  case notificationQueued(StoredNotification)
  /// A notification was tried.
  case notificationTried(String, NotificationOutcome)
  case workerRegistered(WorkerEntry)
  /// A worker takes no more leases.
  case workerDrained(WorkerID)
  /// A worker gets no leases until it is resumed, for the given reason.
  case workerDistrusted(WorkerIdentity, String, at: Date)
  /// A draining or distrusted worker is in service again.
  case workerResumed(WorkerEntry)
  /// A worker must register again.
  case workerForgotten(WorkerID)
  /// The recording with this id changed.
  case recording(String, RecordingChange)

  /// The job that it changes, if any.
  var job: JobID? {
    switch self {
    case .attemptBegan(let grant, at: _), .attemptEnded(let grant, _, framesRendered: _, at: _),
      .attemptLogged(let grant, _),
      .chunkAccepted(let grant, _, by: _, at: _), .chunkHeld(let grant, _, by: _, at: _):
      grant.segment.job
    case .chunkDropped(let segment), .chunkRefused(let segment, _), .segmentGivenUp(let segment),
      .chunkReused(let segment, _, at: _), .chunkKept(let segment, _, at: _),
      .chunkConfirmed(let segment, _), .heldChunksDropped(let segment),
      .heldChunkDropped(let segment, by: _):
      segment.job
    case .fingerprintFixed(let job, _), .jobAdvanced(let job, _),
      .soundMixed(let job, _, concealing: _),
      .jobFailed(let job, _, at: _), .jobCancelled(let job, at: _),
      .jobCompleted(let job, _, at: _), .jobRetried(let job), .jobRestarted(let job),
      .jobPrioritized(let job, _), .jobDeleted(let job),
      .outputLost(let job, _, at: _), .outputRecovered(let job, _),
      .outputDeleted(let job, _), .lostOutputForgotten(let job):
      job
    case .notificationQueued(let notification): notification.job
    case .keptChunksForgotten, .notificationTried, .workerRegistered, .workerDrained,
      .workerDistrusted,
      .workerResumed, .workerForgotten, .recording:
      nil
    }
  }
}
