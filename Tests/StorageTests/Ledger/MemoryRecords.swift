import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling
import sheaf_coordinator

/// Everything that a ``MemoryLedger`` records.
struct MemoryRecords: Sendable {
  /// A job.
  struct Job: Sendable {
    let id: JobID
    let number: Int
    var submission: StoredSubmission
    let key: SubmissionKey?
    let submitter: String?
    let limits: JobLimits
    let createdAt: Date
    var priority: Int
    var state = JobState.queued
    var startedAt: Date?
    var finishedAt: Date?
    var failure: JobFailure?
    /// The file of the last completion.
    var output: OutputFile?
    var outputDeletion: OutputDeletion?
    /// The uploaded files and the plan's pictures.
    var assets: Set<Digest> = []
    var fetched: [String: AssetReference] = [:]
    var leased: [Digest: LeasedAsset] = [:]
    var planningTries = 0
    var work = Work()
    /// The work of a lost file, from before a retry.
    var lost: Work?
    var failures: [Failure] = []
    var documents: [JobDocument: Data] = [:]
  }

  /// The plan of a job and its progress.
  struct Work: Sendable {
    var plan: PlanFacts?
    var fingerprint: String?
    var loudness: LoudnessReport?
    var sound: StoredConcealments?
    var finalProgress: FinalProgress?
    var segments: [Int: Segment] = [:]

    /// The segments in order.
    var ordered: [(number: Int, segment: Segment)] {
      segments.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }

  /// A segment of a job.
  struct Segment: Sendable {
    var planned: PlannedSegment
    var state = SegmentState.pending
    var attempts = 0
    var expiries = 0
    var worker: WorkerID?
    var chunk: Chunk?

    /// Drops the segment's chunk.
    mutating func reset() { (state, worker, chunk) = (.pending, nil, nil) }
  }

  /// The chunk of a segment.
  struct Chunk: Sendable {
    var sha256: Digest
    var byteCount: Int64
    /// The number of the delivery that brought it, if known.
    var delivery: Int?
  }

  /// A worker's failure on a segment.
  struct Failure: Sendable {
    let segment: Int
    let worker: WorkerID
    let report: FailureReport
  }

  /// An attempt at a segment.
  struct Attempt: Sendable {
    let grant: Grant
    let startedAt: Date
    var endedAt: Date?
    /// How it ended; `nil` while it runs.
    var outcome: String?
    var framesRendered: Int?
    var report: FailureReport?
    var log: String?

    var isRunning: Bool { outcome == nil }
  }

  /// A chunk that a worker delivered.
  struct Delivery: Sendable {
    let sha256: Digest
    let grant: Grant
    let deliverer: Deliverer
    let date: Date
  }

  /// A chunk under audit.
  struct Held: Sendable {
    let grant: Grant
    let chunk: Chunk
    let delivery: Int
  }

  /// A chunk that is kept for later jobs.
  struct Kept: Sendable {
    var chunk: KeptChunk
    var usedAt: Date
    var delivery: Int?
  }

  /// A registered worker.
  struct Worker: Sendable {
    var entry: WorkerEntry
    var isForgotten = false
  }

  /// A worker that is not trusted.
  struct Distrust: Sendable {
    let worker: WorkerIdentity
    let reason: String
  }

  var jobs: [JobID: Job] = [:]
  /// The number of the job that was inserted last.
  var lastJob = 0
  var attempts: [Attempt] = []
  var notifications: [StoredNotification] = []
  /// The recordings, oldest first.
  var recordings: [MemoryRecording] = []
  var deliveries: [Int: Delivery] = [:]
  var deliveryCount = 0
  /// In the order of their delivery.
  var held: [Held] = []
  var kept: [Digest: Kept] = [:]
  var concealments: [Digest: StoredConcealments] = [:]
  /// In the order of their registration.
  var workers: [Worker] = []
  var distrusted: [Distrust] = []
  /// The sizes of assets in bytes, by owner.
  var owned: [String: [Digest: Int64]] = [:]
  var shared: [Digest: SharedAsset] = [:]

  /// The jobs, oldest first.
  var orderedJobs: [Job] { jobs.values.sorted { $0.number < $1.number } }

  /// Changes a segment, if it exists.
  mutating func update(_ id: SegmentID, _ change: (inout Segment) -> Void) {
    guard var segment = jobs[id.job]?.work.segments[id.index] else { return }
    change(&segment)
    jobs[id.job]?.work.segments[id.index] = segment
  }

  /// Removes the segments of a job from a number on, with everything that belongs to them.
  mutating func removeSegments(of id: JobID, from first: Int = 0) {
    func isRemoved(_ segment: SegmentID) -> Bool { segment.job == id && segment.index >= first }
    if var job = jobs[id] {
      job.work.segments = job.work.segments.filter { $0.key < first }
      job.failures.removeAll { $0.segment >= first }
      jobs[id] = job
    }
    attempts.removeAll { isRemoved($0.grant.segment) }
    held.removeAll { isRemoved($0.grant.segment) }
  }

  /// The number of damaged parts in a chunk.
  func concealedCount(of chunk: Chunk?) -> Int {
    chunk.flatMap { concealments[$0.sha256]?.count } ?? 0
  }

  /// Whether a chunk is needed by a job that has no finished file.
  func isNeeded(_ chunk: Digest) -> Bool {
    jobs.values.contains { job in
      job.state != .completed
        && job.work.segments.values.contains { $0.chunk?.sha256 == chunk }
    }
  }
}

extension JobState {
  /// Whether the job ended without a file.
  var isWithoutFile: Bool { self == .failed || self == .cancelled }
}
