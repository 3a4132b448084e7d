/// The kind of a failure, as job statuses, failure reports and the answers of media processes name it.
///
/// A code is sent as its raw value. `docs/api.md` lists all of them. Workers of another version may send codes that this
/// version does not know, so any text can be read as one.
public struct FailureCode: RawRepresentable, Hashable, Codable, Sendable {
  /// The name on the wire.
  public let rawValue: String

  /// Creates a code from its name on the wire.
  public init(rawValue: String) { self.rawValue = rawValue }

  private init(_ wireName: String) { rawValue = wireName }
}

extension FailureCode: CustomStringConvertible {
  /// The name on the wire.
  public var description: String { rawValue }
}

// MARK: Projects and limits

extension FailureCode {
  /// The project has findings.
  public static let invalidProject = FailureCode("invalid-project")
  /// The project, its media or its submitter exceeds a limit. A retry does not help.
  public static let limitReached = FailureCode("limit-reached")
  /// The submitter has used its planning time of the current hour.
  public static let planningQuotaReached = FailureCode("planning-quota-reached")
  /// The body of a submission is not what the API expects.
  public static let malformedRequest = FailureCode("malformed-request")
  /// The project has more bytes than allowed.
  public static let tooLarge = FailureCode("too-large")
  /// The coordinator died repeatedly while it planned the job.
  public static let planningGivenUp = FailureCode("planning-given-up")
}

// MARK: Assets

extension FailureCode {
  /// The coordinator does not have an asset.
  public static let missingAsset = FailureCode("missing-asset")
  /// An asset's bytes do not match its block digests.
  public static let damagedAsset = FailureCode("damaged-asset")
  /// A file changed after its job was submitted or began.
  public static let assetChanged = FailureCode("asset-changed")
  /// The operator does not allow an asset's URL.
  public static let assetNotAllowed = FailureCode("asset-not-allowed")
  /// An asset's URL cannot be fetched.
  public static let assetUnreachable = FailureCode("asset-unreachable")
  /// A fetched asset has more bytes than allowed.
  public static let assetTooLarge = FailureCode("asset-too-large")
}

// MARK: Recordings

extension FailureCode {
  /// The source of a recording cannot be opened.
  public static let sourceUnreachable = FailureCode("source-unreachable")
  /// The source of a recording has a different passphrase, or none, or requires one; or it requires another user or
  /// password.
  public static let passphraseRejected = FailureCode("passphrase-rejected")
  /// A file or a source is not media of any known kind.
  public static let notMedia = FailureCode("not-media")
  /// The submitter of a recording stopped uploading before the end of the stream, or the coordinator restarted.
  public static let uploadInterrupted = FailureCode("upload-interrupted")
  /// The source of a recording sent nothing that can be decoded.
  public static let nothingRecorded = FailureCode("nothing-recorded")
}

// MARK: Media processes

extension FailureCode {
  /// A media process crashed, or sent an invalid or incomplete response.
  public static let mediaProcessDied = FailureCode("media-process-died")
  /// A media process was killed from outside.
  public static let mediaProcessKilled = FailureCode("media-process-killed")
  /// A media process took longer than its time limit.
  public static let mediaProcessTimedOut = FailureCode("media-process-timed-out")
  /// A media process sent no usable answer or wrote no usable file.
  public static let mediaProcessFailed = FailureCode("media-process-failed")
  /// The program that opens media cannot run, or has a different version from the program that started it.
  public static let mediaProgramUnusable = FailureCode("media-program-unusable")
  /// A media process could not enter its sandbox.
  public static let notConfined = FailureCode("not-confined")
  /// A process ran out of memory.
  public static let outOfMemory = FailureCode("out-of-memory")
}

// MARK: Disks and stored files

extension FailureCode {
  /// A disk is full.
  public static let diskFull = FailureCode("disk-full")
  /// The operating system cannot read a file. Another try may succeed.
  public static let readFailed = FailureCode("read-failed")
  /// The operating system cannot write a file. Another try may succeed.
  public static let writeFailed = FailureCode("write-failed")
  /// A stored project is missing, or does not match its digest.
  public static let damagedProject = FailureCode("damaged-project")
  /// A stored submission is missing, or does not match its digest.
  public static let damagedSubmission = FailureCode("damaged-submission")
  /// A stored media index does not match its digest, or another version wrote it and it cannot be decoded.
  public static let damagedIndex = FailureCode("index-damaged")
  /// A stored plan is missing, or does not match its digest.
  public static let damagedPlan = FailureCode("damaged-plan")
  /// The draft of a plan cannot be decoded.
  public static let unreadablePlan = FailureCode("plan-unreadable")
  /// A finished file is missing, or no longer matches its digest.
  public static let damagedOutput = FailureCode("damaged-output")
  /// The ledger refuses to record how the job ended.
  public static let ledger = FailureCode("ledger")
  /// The coordinator cannot read or write one of its files.
  public static let storage = FailureCode("storage")
  /// The coordinator failed in a way that has no code of its own.
  public static let coordinator = FailureCode("coordinator")
}

// MARK: Chunks

extension FailureCode {
  /// A chunk is not what its segment requires. Rendering the segment again may help.
  public static let badChunk = FailureCode("bad-chunk")
  /// The mixed sound is not a single audio stream, or one of its parts is invalid.
  public static let badMix = FailureCode("bad-mix")
  /// A stored chunk does not match its digest, or is missing.
  public static let damagedChunk = FailureCode("damaged-chunk")
  /// The muxer rejected a chunk, so the unfinished file was discarded.
  public static let unwritableChunk = FailureCode("unwritable-chunk")
  /// A delivered chunk does not match its manifest or its lease.
  public static let invalidChunk = FailureCode("invalid-chunk")
  /// The chunk that another job was to share is missing.
  public static let sharedChunk = FailureCode("shared-chunk")
  /// A chunk was dropped before its job was completed.
  public static let forgottenChunk = FailureCode("chunk-forgotten")
}

// MARK: Workers

extension FailureCode {
  /// A worker's own disk failed.
  public static let localDisk = FailureCode("local-disk")
  /// A worker's render process crashed.
  public static let renderProcessDied = FailureCode("render-process-died")
  /// A worker's render process was killed from outside: by a person, or by the kernel because memory ran out.
  public static let renderProcessKilled = FailureCode("render-process-killed")
  /// A segment failed in a way that has no code of its own.
  public static let renderFailed = FailureCode("render-failed")
  /// A worker cannot read its lease.
  public static let invalidLease = FailureCode("invalid-lease")
  /// A worker cannot deliver its chunk.
  public static let undeliverable = FailureCode("undeliverable")
  /// More separate parts of damaged media than a job can list.
  public static let tooManyConcealments = FailureCode("too-many-concealments")
  /// A worker rendered without progress.
  public static let stuck = FailureCode("stuck")
  /// The leases of a segment expired too often.
  public static let workersLost = FailureCode("workers-lost")
}
