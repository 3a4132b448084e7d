import FarmAPI
import Planning

/// The JSON schema of a wire type, derived from how the type decodes itself.
struct Schema: Sendable {
  let name: String
  private let make: @Sendable () throws -> JSON

  private init<Wire: Decodable & Sendable>(_ type: Wire.Type) {
    name = "\(type)"
    make = { try SchemaDecoder.schema(of: type) }
  }

  /// The schema as JSON.
  func json() throws -> JSON { try make() }

  static let chunkReceipt = Schema(ChunkReceipt.self)
  static let concealedMedia = Schema(ConcealedMedia.self)
  static let createdToken = Schema(CreatedToken.self)
  static let failureReport = Schema(FailureReport.self)
  static let farmHistory = Schema(FarmHistory.self)
  static let farmStatus = Schema(FarmStatus.self)
  static let heartbeat = Schema(Heartbeat.self)
  static let heartbeatAnswer = Schema(HeartbeatAnswer.self)
  static let jobPriority = Schema(JobPriority.self)
  static let jobStatus = Schema(JobStatus.self)
  static let jobTimeline = Schema(JobTimeline.self)
  static let jobSubmission = Schema(JobSubmission.self)
  static let lease = Schema(Lease.self)
  static let newToken = Schema(NewToken.self)
  static let projectFindings = Schema(ProjectFindings.self)
  static let notificationDelivery = Schema(NotificationDelivery.self)
  static let planSegment = Schema(PlanSegment.self)
  static let scrubStatus = Schema(ScrubStatus.self)
  static let segmentAttempt = Schema(SegmentAttempt.self)
  static let segmentStatus = Schema(SegmentStatus.self)
  static let sessionStatus = Schema(SessionStatus.self)
  static let signIn = Schema(SignIn.self)
  static let tokenStatus = Schema(TokenStatus.self)
  static let webhookStatus = Schema(WebhookStatus.self)
  static let waveform = Schema(Waveform.self)
  static let workerRegistration = Schema(WorkerRegistration.self)
  static let workerStatus = Schema(WorkerStatus.self)
  static let workerWelcome = Schema(WorkerWelcome.self)
}
