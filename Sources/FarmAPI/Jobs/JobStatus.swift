import Crypto
import Foundation
import Planning
import Timeline

/// The state of a job.
public enum JobState: String, Hashable, Codable, Sendable, CaseIterable {
  /// Accepted, but not started.
  case queued = "queued"
  /// Its assets are being probed and its segments planned.
  case planning = "planning"
  /// Its segments are being rendered.
  case rendering = "rendering"
  /// Every chunk has been accepted, and the file is being assembled.
  case assembling = "assembling"
  /// Its file is finished.
  case completed = "completed"
  /// It failed; the failure states the reason.
  case failed = "failed"
  /// It was cancelled.
  case cancelled = "cancelled"

  /// Whether the job changes only if a user or operator acts on it.
  public var isFinal: Bool { self == .completed || self == .failed || self == .cancelled }
}

/// A job as the farm reports it.
public struct JobStatus: Hashable, Codable, Sendable {
  /// The id that the coordinator gave it when it was accepted.
  public var id: String
  /// The name in its submission, which need not be unique.
  public var name: String
  /// The name of the token that it was submitted with, if a token was needed.
  public var submitter: String?
  /// The step that it has reached, or how it ended.
  public var state: JobState
  /// The time when it was accepted.
  public var createdAt: Date
  /// The time when its first attempt began; `nil` if none has begun.
  public var startedAt: Date?
  /// The time when it reached its final state.
  public var finishedAt: Date?
  /// The plan's hash, once planned.
  public var planHash: Digest?
  /// The number of output frames, once planned.
  public var frameCount: Int?
  /// The number of output frames in accepted chunks, and of those that heartbeats have reported for running attempts.
  public var framesRendered: Int
  /// The number of segments in each state.
  public var segments: SegmentCounts
  /// The recent speed in output frames per second.
  public var framesPerSecond: Double?
  /// The length of one output frame in seconds, once planned; speed is `framesPerSecond × frameDuration`.
  public var frameDuration: Double?
  /// The reason for its frame rate and the frames that the rate leaves out, once planned.
  public var frameRate: FrameRateReport?
  /// The estimated number of seconds until the file is finished.
  public var secondsRemaining: Double?
  /// The reason why it failed.
  public var failure: JobFailure?
  /// The finished file; `nil` until the job is completed, and after the file was deleted.
  public var output: OutputFile?
  /// The finished file that was deleted because of its age, while the job was kept.
  public var outputDeletion: OutputDeletion?
  /// The report on the sound's loudness, if the project sets one, once it is mixed.
  public var loudness: LoudnessReport?
  /// A description of the workers that it lacks, once it has waited for a while.
  public var waitingFor: String?
  /// Whether it follows a recording that has not ended, so its frame count still grows; `nil` means no.
  public var isFollowing: Bool?
  /// The memory in bytes that its largest pending segment needs, if every available worker has less.
  public var memoryNeeded: Int?
  /// Its place among the jobs that wait for workers, 1 for the next one; `nil` if a segment of it has been leased, or if
  /// no other job is waiting or being rendered. Events announce changes of the first 20 places.
  public var position: Int?
  /// Its priority; `nil` if that is 0.
  public var priority: Int?
  /// The number of its segments that have chunks of earlier jobs; `nil` if that is 0.
  public var segmentsReused: Int?
  /// A drawing of its segments by state, once planned; see ``SegmentStrip``.
  public var strip: String?
  /// The number of output frames whose packets are copied and not reused, once planned.
  public var framesCopied: Int?
  /// The number of output frames in chunks that are reused, once planned.
  public var framesReused: Int?
  /// The number of output frames that are encoded and not reused, once planned.
  public var framesEncoded: Int?
  /// The reasons for encoding those frames, the one of the most frames first; `nil` if unknown, and in lists of jobs
  /// and in events.
  public var encodedBecause: [EncodedFrames]?
  /// The number of parts of the file that show or play concealed damage, if there are any (`export.onDamage`).
  public var concealedCount: Int?
  /// The first of these parts, at most ``concealedLimit``; `nil` in lists of jobs and in events. `GET
  /// /jobs/{id}/concealments` lists all of them.
  public var concealed: [ConcealedMedia]?

  /// The maximum number of concealed parts in a status.
  public static let concealedLimit = 20
  /// The maximum length of a failure's message in lists of jobs and in events, in bytes of UTF-8.
  public static let listedMessageLimit = 1 << 10

  /// Creates a status.
  public init(
    id: String, name: String, submitter: String? = nil, state: JobState, createdAt: Date,
    finishedAt: Date? = nil, planHash: Digest? = nil, frameCount: Int? = nil,
    framesRendered: Int = 0, segments: SegmentCounts = SegmentCounts(),
    framesPerSecond: Double? = nil,
    frameDuration: Double? = nil, frameRate: FrameRateReport? = nil,
    secondsRemaining: Double? = nil, failure: JobFailure? = nil,
    output: OutputFile? = nil, loudness: LoudnessReport? = nil, waitingFor: String? = nil,
    priority: Int? = nil, segmentsReused: Int? = nil
  ) {
    self.id = id
    self.name = name
    self.submitter = submitter
    self.state = state
    self.createdAt = createdAt
    self.finishedAt = finishedAt
    self.planHash = planHash
    self.frameCount = frameCount
    self.framesRendered = framesRendered
    self.segments = segments
    self.framesPerSecond = framesPerSecond
    self.frameDuration = frameDuration
    self.frameRate = frameRate
    self.secondsRemaining = secondsRemaining
    self.failure = failure
    self.output = output
    self.loudness = loudness
    self.waitingFor = waitingFor
    self.priority = priority
    self.segmentsReused = segmentsReused
  }

  /// The status as lists of jobs and events contain it: with the beginning of the failure's message, and without the
  /// lists of frames that are not shown, of concealed parts, and of reasons for encoding.
  public var listed: JobStatus {
    var status = self
    if let message = failure?.message {
      status.failure?.message = message.shortened(toBytes: Self.listedMessageLimit)
    }
    status.frameRate = frameRate?.withoutList
    status.concealed = nil
    status.encodedBecause = nil
    return status
  }
}

/// The frames of a job that are encoded for one reason.
public struct EncodedFrames: Hashable, Codable, Sendable {
  /// The reason, for programs; `nil` if the coordinator has an earlier version, or names a reason that this version does
  /// not know.
  public var kind: SegmentMethod.Kind?
  /// The reason, for people: a clause that follows "because".
  public var reason: String
  /// The number of frames.
  public var frameCount: Int

  /// Creates a number of frames.
  public init(kind: SegmentMethod.Kind? = nil, reason: String, frameCount: Int) {
    self.kind = kind
    self.reason = reason
    self.frameCount = frameCount
  }

  /// Decodes a number of frames, and accepts kinds of later versions.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    kind = try? container.decodeIfPresent(SegmentMethod.Kind.self, forKey: .kind)
    reason = try container.decode(String.self, forKey: .reason)
    frameCount = try container.decode(Int.self, forKey: .frameCount)
  }
}

/// The number of a job's segments in each state.
public struct SegmentCounts: Hashable, Codable, Sendable {
  /// Waiting for a worker.
  public var pending = 0
  /// Leased by a worker.
  public var leased = 0
  /// Completed with an accepted chunk.
  public var completed = 0
  /// Given up after too many failures.
  public var failed = 0

  /// Creates counts of zero.
  public init() {}

  /// The number of segments in all states.
  public var total: Int { pending + leased + completed + failed }
}

/// A job's finished file.
public struct OutputFile: Hashable, Codable, Sendable {
  /// The file name under which to save it.
  public var fileName: String
  /// The number of bytes.
  public var byteCount: Int64
  /// The SHA-256 of its bytes.
  public var sha256: Digest

  /// Creates a description of a file.
  public init(fileName: String, byteCount: Int64, sha256: Digest) {
    self.fileName = fileName
    self.byteCount = byteCount
    self.sha256 = sha256
  }
}
