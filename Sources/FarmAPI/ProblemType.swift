/// The stable `type` of a problem document.
public struct ProblemType: RawRepresentable, Hashable, Codable, Sendable {
  /// The text in `type`.
  public let rawValue: String

  /// Creates a type from its text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The prefix of all the coordinator's problem types.
  public static let prefix = "/problems/"

  /// The request is malformed.
  public static let malformedRequest = ProblemType(rawValue: "/problems/malformed-request")
  /// The body does not match its `Content-Digest` because it changed in transit. Send it again.
  public static let damagedRequest = ProblemType(rawValue: "/problems/damaged-request")
  /// The project has findings; `detail` lists them, one per line.
  public static let invalidProject = ProblemType(rawValue: "/problems/invalid-project")
  /// The job, asset, worker or page does not exist.
  public static let notFound = ProblemType(rawValue: "/problems/not-found")
  /// The coordinator does not have an asset that the project names. Upload it.
  public static let missingAsset = ProblemType(rawValue: "/problems/missing-asset")
  /// The project names URLs that the operator does not allow, or recordings that the submitter does not have; `detail`
  /// lists them, one per line.
  public static let assetNotAllowed = ProblemType(rawValue: "/problems/asset-not-allowed")
  /// The bytes do not match the digest.
  public static let digestMismatch = ProblemType(rawValue: "/problems/digest-mismatch")
  /// The upload does not continue where the previous one ended; `Upload-Offset` states that offset.
  public static let uploadOffset = ProblemType(rawValue: "/problems/upload-offset")
  /// Other requests are uploading the asset, or the stream of a recording. For an asset, `Upload-Offset` states how
  /// many bytes have arrived.
  public static let uploadInProgress = ProblemType(rawValue: "/problems/upload-in-progress")
  /// A different body was submitted under this `Idempotency-Key`.
  public static let keyReused = ProblemType(rawValue: "/problems/idempotency-key-reused")
  /// The lease is not in force: it is unknown or has ended.
  public static let staleLease = ProblemType(rawValue: "/problems/stale-lease")
  /// The chunk or its manifest does not match its digest, because it changed in transit. The lease stays in force; send
  /// the chunk again.
  public static let damagedChunk = ProblemType(rawValue: "/problems/damaged-chunk")
  /// The chunk does not match its lease.
  public static let invalidChunk = ProblemType(rawValue: "/problems/invalid-chunk")
  /// The chunk's file is not in the coordinator's folder for chunks. The lease stays in force; send the chunk.
  public static let missingChunkFile = ProblemType(rawValue: "/problems/missing-chunk-file")
  /// The state of the job or the recording does not allow it.
  public static let wrongState = ProblemType(rawValue: "/problems/wrong-state")
  /// The job's finished file was deleted because of its age. Submit the project again.
  public static let outputDeleted = ProblemType(rawValue: "/problems/output-deleted")
  /// The finished file is still being checked. Ask again; as long as the check makes progress, ``bytesReadMember`` changes.
  public static let outputCheck = ProblemType(rawValue: "/problems/output-check")
  /// The member of an ``outputCheck`` problem with the number of bytes that the coordinator has read to check files.
  public static let bytesReadMember = "bytesRead"
  /// The body is larger than the route allows.
  public static let tooLarge = ProblemType(rawValue: "/problems/too-large")
  /// The request has no token, or its token is not valid.
  public static let unauthorized = ProblemType(rawValue: "/problems/unauthorized")
  /// The token's role does not allow it, or the request comes from another site's page.
  public static let forbidden = ProblemType(rawValue: "/problems/forbidden")
  /// The route does not accept the media type of the body.
  public static let mediaType = ProblemType(rawValue: "/problems/media-type")
  /// The client, or its token, has reached one of the coordinator's limits.
  public static let limitReached = ProblemType(rawValue: "/problems/limit-reached")
  /// The asset would exceed its submitter's quota. `detail` states the bytes in use and the limit.
  public static let assetQuota = ProblemType(rawValue: "/problems/asset-quota")
  /// The operator does not allow the source of a recording.
  public static let sourceNotAllowed = ProblemType(rawValue: "/problems/source-not-allowed")
  /// The coordinator cannot take new work at the moment.
  public static let unavailable = ProblemType(rawValue: "/problems/unavailable")

  /// Every type above.
  public static let all: [ProblemType] = [
    .malformedRequest, .damagedRequest, .invalidProject, .notFound, .missingAsset,
    .assetNotAllowed, .digestMismatch, .uploadOffset, .uploadInProgress, .keyReused, .staleLease,
    .damagedChunk, .invalidChunk, .missingChunkFile, .wrongState, .outputCheck, .outputDeleted,
    .tooLarge,
    .unauthorized, .forbidden,
    .mediaType, .limitReached, .assetQuota, .sourceNotAllowed, .unavailable,
  ]
}
