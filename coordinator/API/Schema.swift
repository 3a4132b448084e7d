import Crypto
import FarmAPI
import Foundation
import Planning
import Timeline

/// The JSON schema of a wire type, derived from an example in which every member is set.
struct Schema: Sendable {
  let name: String
  private let example: @Sendable () throws -> Data

  private init(_ name: String, _ value: some Encodable & Sendable) {
    self.name = name
    example = { try FarmCoding.encode(value) }
  }

  /// The schema as JSON.
  func json() throws -> JSON {
    try .schema(of: JSON(parsing: example()))
  }

  private static let digest = Digest.of([UInt8]())
  private static let reference = AssetReference(
    digest: digest, byteCount: 1, path: "/media/beach.mp4")
  private static let counts = SegmentCounts()
  private static let scrub: ScrubStatus = {
    var status = ScrubStatus(bytesPerSecond: 1)
    status.finishedAt = Date(timeIntervalSince1970: 0)
    return status
  }()
  private static let job = JobStatus(
    id: "k2v9", name: "cut", submitter: "ada", state: .completed,
    createdAt: Date(timeIntervalSince1970: 0),
    finishedAt: Date(timeIntervalSince1970: 0), planHash: digest, frameCount: 1,
    framesRendered: 1, segments: counts, framesPerSecond: 0.5, frameDuration: 0.5,
    frameRate: FrameRateReport(
      frameRate: RationalTime(120), reason: .highestStandard,
      fastest: FrameRateReport.Source(
        asset: "beach.mp4", frameRate: RationalTime(240), shortestFrame: RationalTime(1)),
      unshown: [
        FrameRateReport.UnshownFrames(
          asset: "beach.mp4", count: 1, total: 2, times: [RationalTime(1)])
      ], unshownAssets: 2),
    secondsRemaining: 0.5, failure: JobFailure(code: "invalid-project", message: ""),
    output: OutputFile(fileName: "cut.mp4", byteCount: 1, sha256: digest),
    loudness: LoudnessReport(
      target: -16.5, before: -23.5, gain: 7.5, after: -16.5, truePeak: -1.5, isLimited: true),
    waitingFor: "workers: none is known", priority: 1, segmentsReused: 1)

  private static let concealment = ConcealedMedia(
    asset: "beach.mp4", time: 0.5, firstFrame: 1, frameCount: 1, duration: 0.5)
  private static let concealingJob = { () -> JobStatus in
    var status = job
    status.concealedCount = 1
    status.concealed = [concealment]
    return status
  }()

  static let jobStatus = Schema("JobStatus", concealingJob)
  static let jobSubmission = Schema(
    "JobSubmission",
    JobSubmission(
      name: "cut", project: "{}", assets: ["beach.mp4": reference], priority: 1, rerenders: true))
  static let segmentStatus = Schema(
    "SegmentStatus",
    SegmentStatus(
      index: 0, first: 0, end: 1, state: .leased, attempts: 1, worker: "host",
      copyWorker: "other", framesRendered: 1,
      delivery: SegmentDelivery(
        worker: "host", token: "rack", deliveredAt: Date(timeIntervalSince1970: 0)),
      isUnderAudit: true))
  static let concealedMedia = Schema("ConcealedMedia", concealment)
  static let workerRegistration = Schema(
    "WorkerRegistration", WorkerRegistration(name: "host", slots: 1, fingerprint: "x264"))
  static let workerWelcome = Schema(
    "WorkerWelcome", WorkerWelcome(id: "k2v9", heartbeatMilliseconds: 2000))
  static let workerStatus = Schema(
    "WorkerStatus",
    WorkerStatus(
      id: "k2v9", name: "host", slots: 1, leases: 1, state: .active, segmentsCompleted: 1,
      segmentsFailed: 1, secondsSinceSeen: 0.5, reason: ""))
  static let scrubStatus = Schema("ScrubStatus", scrub)
  static let heartbeat = Schema(
    "Heartbeat", Heartbeat(framesRendered: 1, assetBytes: 1, waitsForAssets: false))
  static let heartbeatAnswer = Schema("HeartbeatAnswer", HeartbeatAnswer(stop: false))
  static let chunkReceipt = Schema("ChunkReceipt", ChunkReceipt(sha256: digest))
  static let failureReport = Schema(
    "FailureReport", FailureReport(code: "decode-failed", message: "", isPermanent: false))
  static let signIn = Schema("SignIn", SignIn(token: "sheaf_token"))
  static let sessionStatus = Schema(
    "SessionStatus", SessionStatus(Caller(role: .observer, name: "ada", token: "0a1b2c3d")))
  static let lease = Schema(
    "Lease",
    Lease(
      token: "token", job: "k2v9", segment: 0, attempt: 1, durationMilliseconds: 30000,
      description: SegmentDescription(
        first: 0, end: 1, frameDuration: RationalTime(1),
        renderSize: PixelSize(width: 2, height: 2), video: VideoSettings(), sources: [],
        slices: []),
      assets: [LeasedAsset(reference, blocks: digest)]))
}
