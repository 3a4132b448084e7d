import FarmAPI
import HTTP
import Planning

/// The JSON schema of a wire type, derived from how the type decodes itself.
struct Schema: Sendable {
  let name: String
  private let make: @Sendable () throws -> JSON

  private init<Wire: Decodable & Sendable>(_ type: Wire.Type) {
    name = "\(type)"
    make = { try SchemaDecoder.schema(of: type) }
  }

  /// Creates the schema of a request's body, in which optional members may be null.
  ///
  /// - Parameter limited: the schemas of members whose values are limited.
  private init<Wire: Decodable & Sendable>(
    request type: Wire.Type, limiting limited: [String: JSON] = [:]
  ) {
    name = "\(type)"
    make = { JSON.object(try Self.object(type, limiting: limited).schema).acceptingNull }
  }

  /// Creates the schema of an error response. All its registered members are sent, although a client must not rely on
  /// them with other servers, and further members are strings.
  ///
  /// - Parameter types: the values of `type`.
  private init(problemOfTypes types: [ProblemType]) {
    name = "Problem"
    make = {
      let type: JSON = ["type": "string", "enum": .array(types.map { .string($0.rawValue) })]
      var (schema, members) = try Self.object(ProblemDocument.self, limiting: ["type": type])
      schema["required"] = .array(members.sorted().map { .string($0) })
      schema["additionalProperties"] = ["type": "string"]
      return .object(schema)
    }
  }

  /// The schema of an object and the names of its members.
  ///
  /// - Parameter limited: schemas that replace those derived for some members.
  /// - Throws: `DecodingError` if the type is not an object that has these members.
  private static func object<Wire: Decodable>(
    _ type: Wire.Type, limiting limited: [String: JSON]
  ) throws -> (schema: [String: JSON], members: [String]) {
    guard case .object(var schema) = try SchemaDecoder.schema(of: type),
      case .object(let derived)? = schema["properties"],
      limited.keys.allSatisfy({ derived[$0] != nil })
    else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: [],
          debugDescription: "\(type) is not an object with the members \(limited.keys.sorted())"))
    }
    schema["properties"] = .object(derived.merging(limited) { $1 })
    return (schema, Array(derived.keys))
  }

  private static let priority = SchemaDecoder.count(in: JobSubmission.priorities)
  private static let pool: JSON = ["type": "string", "pattern": .string(PoolName.pattern)]

  /// Derives the schema.
  ///
  /// - Throws: `DecodingError` if the type cannot be decoded from placeholders, or lacks a member that is limited.
  func json() throws -> JSON { try make() }

  static let chunkReceipt = Schema(ChunkReceipt.self)
  static let concealedMedia = Schema(ConcealedMedia.self)
  static let createdToken = Schema(CreatedToken.self)
  static let failureReport = Schema(request: FailureReport.self)
  static let farmHistory = Schema(FarmHistory.self)
  static let farmStatus = Schema(FarmStatus.self)
  static let heartbeat = Schema(request: Heartbeat.self)
  static let heartbeatAnswer = Schema(HeartbeatAnswer.self)
  static let jobPriority = Schema(request: JobPriority.self, limiting: ["priority": priority])
  static let jobStatus = Schema(JobStatus.self)
  static let jobStream = Schema(JobStream.self)
  static let jobTimeline = Schema(JobTimeline.self)
  static let jobSubmission = Schema(
    request: JobSubmission.self, limiting: ["priority": priority, "pool": pool])
  static let lease = Schema(Lease.self)
  static let newToken = Schema(
    request: NewToken.self,
    limiting: ["name": ["type": "string", "pattern": .string(TokenRecord.namePattern)]])
  static let projectFindings = Schema(ProjectFindings.self)
  static let notificationDelivery = Schema(NotificationDelivery.self)
  static let problem = Schema(
    problemOfTypes: [.blank] + ProblemType.all.sorted { $0.rawValue < $1.rawValue })
  static let planSegment = Schema(PlanSegment.self)
  static let recordingStatus = Schema(RecordingStatus.self)
  static let recordingSubmission = Schema(request: RecordingSubmission.self)
  static let removal = Schema(Removal.self)
  static let scrubStatus = Schema(ScrubStatus.self)
  static let segmentAttempt = Schema(SegmentAttempt.self)
  static let segmentStatus = Schema(SegmentStatus.self)
  static let sessionStatus = Schema(SessionStatus.self)
  static let storageDelivery = Schema(
    request: StorageDelivery.self, limiting: ["byteCount": SchemaDecoder.count(from: 1)])
  static let storageLink = Schema(StorageLink.self)
  static let signIn = Schema(request: SignIn.self)
  static let tokenStatus = Schema(TokenStatus.self)
  static let webhookStatus = Schema(WebhookStatus.self)
  static let waveform = Schema(Waveform.self)
  static let workerRegistration = Schema(
    request: WorkerRegistration.self,
    limiting: [
      "slots": SchemaDecoder.count(in: WorkerRegistration.slotCounts),
      "fingerprint": [
        "type": "string", "minLength": .integer(WorkerRegistration.fingerprintSizes.lowerBound),
        "maxLength": .integer(WorkerRegistration.fingerprintSizes.upperBound),
      ],
      "memory": SchemaDecoder.count(from: 1),
      "priority": SchemaDecoder.count(in: WorkerRegistration.priorities),
      "pools": [
        "type": "array", "items": pool, "maxItems": .integer(WorkerRegistration.mostPools),
      ],
    ])
  static let workerStatus = Schema(WorkerStatus.self)
  static let workerWelcome = Schema(WorkerWelcome.self)
}

extension JSON {
  /// The schema with optional members that may also be null, at every depth.
  fileprivate var acceptingNull: JSON {
    guard case .object(var schema) = self else { return self }
    for key in ["items", "additionalProperties"] { schema[key] = schema[key]?.acceptingNull }
    guard case .object(let properties)? = schema["properties"] else { return .object(schema) }
    var required: [JSON] = []
    if case .array(let names)? = schema["required"] { required = names }
    schema["properties"] = .object(
      Dictionary(
        properties.map { name, member in
          let member = member.acceptingNull
          return (
            name,
            required.contains(.string(name)) ? member : ["anyOf": [member, ["type": "null"]]]
          )
        }
      ) { $1 })
    return .object(schema)
  }
}
