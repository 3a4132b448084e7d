import Crypto
import Foundation
import Planning
import Timeline

/// How far a job has come.
public enum JobState: String, Hashable, Codable, Sendable, CaseIterable {
  /// Accepted, not yet begun.
  case queued
  /// Its assets are being probed and its segments laid out.
  case planning
  /// Its segments are being rendered.
  case rendering
  /// Every chunk is there; the file is being finished.
  case assembling
  /// The file is there.
  case completed
  /// It cannot be finished; the error says why.
  case failed
  /// Its submitter called it off.
  case cancelled

  /// Whether the job will never change again of itself.
  public var isFinal: Bool { self == .completed || self == .failed || self == .cancelled }
}

/// A job as the farm reports it.
public struct JobStatus: Hashable, Codable, Sendable {
  /// The job's id.
  public var id: String
  /// The submission's name.
  public var name: String
  /// The name of the token that it was submitted with, where one was needed.
  public var submitter: String?
  /// How far it has come.
  public var state: JobState
  /// When it was accepted.
  public var createdAt: Date
  /// When it reached its final state.
  public var finishedAt: Date?
  /// The plan's hash, once planned.
  public var planHash: Digest?
  /// The number of output frames, once planned.
  public var frameCount: Int?
  /// Output frames in accepted chunks, and reported by heartbeats for running attempts.
  public var framesRendered: Int
  /// The number of segments in each state.
  public var segments: SegmentCounts
  /// Output frames a second over the last while.
  public var framesPerSecond: Double?
  /// The length of one output frame in seconds, once planned; speed is `framesPerSecond × frameDuration`.
  public var frameDuration: Double?
  /// The reason for its frame rate and the frames that the rate leaves out, once planned.
  public var frameRate: FrameRateReport?
  /// Seconds until the file is expected.
  public var secondsRemaining: Double?
  /// The reason why it failed.
  public var failure: JobFailure?
  /// The finished file.
  public var output: OutputFile?
  /// The report on the sound's loudness, if the project sets one, once it is mixed.
  public var loudness: LoudnessReport?
  /// A description of the workers that it lacks, once it has waited for a while.
  public var waitingFor: String?
  /// Its priority, where that is not 0.
  public var priority: Int?
  /// How many of its segments have chunks that earlier jobs rendered, where any have.
  public var segmentsReused: Int?
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
  /// lists of frames that are not shown and of concealed parts.
  public var listed: JobStatus {
    var status = self
    if let message = failure?.message {
      status.failure?.message = message.shortened(toBytes: Self.listedMessageLimit)
    }
    status.frameRate = frameRate?.withoutList
    status.concealed = nil
    return status
  }
}

/// How many segments of a job are in each state.
public struct SegmentCounts: Hashable, Codable, Sendable {
  /// Waiting for a worker.
  public var pending = 0
  /// With a worker.
  public var leased = 0
  /// Accepted.
  public var completed = 0
  /// Given up.
  public var failed = 0

  /// None in any state.
  public init() {}

  /// All of them.
  public var total: Int { pending + leased + completed + failed }
}

/// The reason why a job failed.
public struct JobFailure: Hashable, Codable, Sendable {
  /// A stable code, e.g. `invalid-project`, `unsupported-media`.
  public var code: String
  /// What failed, on what, and what to do, with one line for each finding.
  public var message: String

  /// Creates a failure.
  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }

  /// The failure of a project with findings.
  public init(_ error: ProjectError) {
    self.init(code: Self.invalidProject, message: error.lines.joined(separator: "\n"))
  }

  /// The code of a project with findings.
  public static let invalidProject = "invalid-project"
  /// The most bytes that a coordinator keeps of a message: 64 KiB.
  public static let longestMessage = 64 << 10

  /// The failure with no more of its message than a coordinator keeps.
  public var shortened: JobFailure {
    JobFailure(code: code, message: message.shortened(toBytes: Self.longestMessage))
  }
}

/// A job's finished file.
public struct OutputFile: Hashable, Codable, Sendable {
  /// A file name to save it under.
  public var fileName: String
  /// How many bytes.
  public var byteCount: Int64
  /// The SHA-256 of its bytes.
  public var sha256: Digest

  /// Creates a file.
  public init(fileName: String, byteCount: Int64, sha256: Digest) {
    self.fileName = fileName
    self.byteCount = byteCount
    self.sha256 = sha256
  }
}
