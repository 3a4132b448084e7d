/// The stable `type` of a problem document.
public struct ProblemType: RawRepresentable, Hashable, Codable, Sendable {
  /// The text in `type`.
  public let rawValue: String

  /// A type by its text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The prefix of all the coordinator's problem types.
  public static let prefix = "/problems/"

  /// The request cannot be read as what the route takes.
  public static let malformedRequest = ProblemType(rawValue: "/problems/malformed-request")
  /// The body does not match its `Content-Digest` because it changed on its way. Send it again.
  public static let damagedRequest = ProblemType(rawValue: "/problems/damaged-request")
  /// The project has findings; `detail` lists them, one a line.
  public static let invalidProject = ProblemType(rawValue: "/problems/invalid-project")
  /// There is no such job, asset, worker or page.
  public static let notFound = ProblemType(rawValue: "/problems/not-found")
  /// An asset that the project names is not with the coordinator; upload it.
  public static let missingAsset = ProblemType(rawValue: "/problems/missing-asset")
  /// The project names a URL from which the operator lets nothing be fetched; `detail` lists them, one a line.
  public static let assetNotAllowed = ProblemType(rawValue: "/problems/asset-not-allowed")
  /// The bytes are not those of the digest.
  public static let digestMismatch = ProblemType(rawValue: "/problems/digest-mismatch")
  /// The upload does not go on where the one before it ended; `Upload-Offset` says where that is.
  public static let uploadOffset = ProblemType(rawValue: "/problems/upload-offset")
  /// Another request is uploading the asset. `Upload-Offset` says how many bytes have arrived.
  public static let uploadInProgress = ProblemType(rawValue: "/problems/upload-in-progress")
  /// A different body was submitted under this `Idempotency-Key`.
  public static let keyReused = ProblemType(rawValue: "/problems/idempotency-key-reused")
  /// The lease is not, or no longer, in force.
  public static let staleLease = ProblemType(rawValue: "/problems/stale-lease")
  /// The chunk or its manifest does not match its digest: it changed on its way. The lease holds; send the chunk again.
  public static let damagedChunk = ProblemType(rawValue: "/problems/damaged-chunk")
  /// The chunk is not what the lease asked for.
  public static let invalidChunk = ProblemType(rawValue: "/problems/invalid-chunk")
  /// The job's state does not allow it.
  public static let wrongState = ProblemType(rawValue: "/problems/wrong-state")
  /// The finished file is still being checked. Ask again; as long as the check makes progress, ``bytesReadMember`` changes.
  public static let outputCheck = ProblemType(rawValue: "/problems/output-check")
  /// The member of an ``outputCheck`` problem with the number of bytes that the coordinator has read to check files.
  public static let bytesReadMember = "bytesRead"
  /// The body is larger than the route takes.
  public static let tooLarge = ProblemType(rawValue: "/problems/too-large")
  /// The request has no token, or none that is in force.
  public static let unauthorized = ProblemType(rawValue: "/problems/unauthorized")
  /// The token's role does not allow it, or the request comes from another site's page.
  public static let forbidden = ProblemType(rawValue: "/problems/forbidden")
  /// The body is of another media type than the route takes.
  public static let mediaType = ProblemType(rawValue: "/problems/media-type")
  /// The client, or its token, has as much as the coordinator's limits allow.
  public static let limitReached = ProblemType(rawValue: "/problems/limit-reached")
  /// The asset would exceed its submitter's quota. `detail` states the bytes in use and the limit.
  public static let assetQuota = ProblemType(rawValue: "/problems/asset-quota")
  /// The coordinator cannot take work now.
  public static let unavailable = ProblemType(rawValue: "/problems/unavailable")
}
