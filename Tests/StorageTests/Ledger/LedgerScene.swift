import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling
import Support
import Timeline
import sheaf_coordinator

/// A ledger with a few jobs, workers and chunks. A test records what happens to them.
struct LedgerScene {
  let directory: TemporaryDirectory
  let ledger: any FarmLedger

  /// The number of frames of each segment.
  static let frames = 10
  /// The size of each chunk in bytes.
  static let chunkBytes: Int64 = 5
  static let fingerprint = "x264"

  init(_ kind: LedgerKind) throws {
    directory = try TemporaryDirectory()
    ledger = try kind.open(in: directory)
  }

  init(_ ledger: any FarmLedger, in directory: TemporaryDirectory) {
    self.directory = directory
    self.ledger = ledger
  }

  static func digest(_ text: String) -> Digest { Digest.of(Data(text.utf8)) }

  static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

  func write(_ transitions: Transition...) throws { try ledger.write(transitions) }

  // MARK: Jobs

  /// Inserts a job whose project names an uploaded file.
  @discardableResult
  func insert(
    _ name: String, by submitter: String? = nil, priority: Int? = nil,
    under key: SubmissionKey? = nil, rerenders: Bool? = nil, inOrder: Bool? = nil,
    at seconds: Double = 0
  ) throws -> JobID {
    let id = JobID(rawValue: name)
    let facts = SubmissionFacts(
      name: "film \(name)", priority: priority, rerenders: rerenders, inOrder: inOrder,
      assets: [try Self.asset("a.mp4")], project: Self.digest("project \(name)"))
    try ledger.insert(
      id, StoredSubmission(facts), under: key, by: submitter, limits: JobLimits(Limits()),
      at: Self.date(seconds))
    return id
  }

  /// A file that a project names.
  static func asset(_ name: String) throws -> ProjectAsset {
    struct Fields: Encodable {
      let name, place, shown: String
      let isRemote = false, isPlayed = true, isShown = true
      let reference: AssetReference
    }
    let reference = AssetReference(digest: digest(name), byteCount: 7)
    return try FarmCoding.decode(
      ProjectAsset.self,
      from: FarmCoding.encode(Fields(name: name, place: name, shown: name, reference: reference)))
  }

  /// Inserts a job and plans it.
  @discardableResult
  func plan(_ name: String, segments: Int, by submitter: String? = nil) throws -> JobID {
    let id = try insert(name, by: submitter)
    try ledger.keep((0..<segments).map { Self.segment($0, of: name) }, from: 0, of: id)
    try ledger.keep(Self.plan(name, segments: segments), of: id)
    try write(.jobAdvanced(id, .rendering))
    return id
  }

  static func segment(_ number: Int, of job: String) -> PlannedSegment {
    PlannedSegment(
      frames: number * frames..<(number + 1) * frames, cost: Int64(number + 100),
      peakMemory: 1 << 20,
      part: PlanPart(offset: Int64(number), length: 1, digest: digest("part \(number)")),
      content: digest("content \(number) of \(job)"), assets: [digest("a.mp4"), digest("b.mp4")],
      method: number.isMultiple(of: 2) ? .copied : number == 5 ? mixed : SegmentMethod(.blended))
  }

  /// Six frames before a keyframe, and four that are encoded for other reasons.
  private static var mixed: SegmentMethod {
    var method = SegmentMethod.encoded(beforeKeyframeAt: RationalTime(7))
    method.others = [.blended: 3, .size: 1]
    return method
  }

  static func plan(_ job: String, segments: Int) throws -> PlanFacts {
    let head = #"{"offset": 0, "length": 1, "digest": "\#(digest("head"))"}"#
    let json = """
      {"format": 3, "hash": "\(digest("plan \(job)"))", "file": "\(digest("plan file \(job)"))",
        "table": "\(digest("table"))", "frameCount": \(segments * frames), "frameDuration": "1/25",
        "fileType": "mp4", "codec": "h264", "segmentCount": \(segments), "head": \(head),
        "assets": [], "pictures": [{"digest": "\(digest("picture"))", "byteCount": 3}]}
      """
    return try FarmCoding.decode(PlanFacts.self, from: Data(json.utf8))
  }

  static let output = OutputFile(
    fileName: "film.mp4", byteCount: 99, sha256: digest("film"))

  // MARK: Workers and chunks

  @discardableResult
  func register(_ name: String) throws -> WorkerEntry {
    var worker = WorkerEntry(
      id: WorkerID(rawValue: "\(name)-id"), name: name, slots: 2, fingerprint: Self.fingerprint,
      memory: 1 << 30, token: "token of \(name)")
    worker.host = "\(name).example.org"
    worker.cores = 8
    worker.version = "0.9.0"
    try write(.workerRegistered(worker))
    return worker
  }

  /// Leases a segment to a worker.
  func begin(
    _ number: Int, of job: JobID, by worker: WorkerEntry, attempt: Int = 1, at seconds: Double = 5
  ) throws -> Grant {
    let grant = Grant(
      token: LeaseToken(rawValue: "lease \(job) \(number) \(attempt)"), worker: worker.id,
      segment: SegmentID(job: job, index: number), attempt: attempt)
    try write(.attemptBegan(grant, at: Self.date(seconds)))
    return grant
  }

  /// The deliverer of a worker's chunks.
  static func deliverer(_ worker: WorkerEntry) -> Deliverer {
    Deliverer(Caller(role: .worker, name: "name of \(worker.name)'s token", token: worker.token))
  }

  static func chunk(
    _ sha256: Digest, concealing concealments: [Concealment] = []
  ) throws -> DeliveredChunk {
    DeliveredChunk(
      sha256: sha256, byteCount: chunkBytes, concealments: try StoredConcealments(concealments))
  }

  /// Leases a segment to a worker and accepts its chunk.
  @discardableResult
  func deliver(
    _ chunk: String, _ number: Int, of job: JobID, by worker: WorkerEntry,
    concealing concealments: [Concealment] = [], at seconds: Double = 10
  ) throws -> Grant {
    let grant = try begin(number, of: job, by: worker)
    try write(
      .chunkAccepted(
        grant, Self.chunk(Self.digest(chunk), concealing: concealments),
        by: Self.deliverer(worker), at: Self.date(seconds)))
    return grant
  }

  /// The kept chunk of a content key.
  static func kept(_ chunk: String, under key: String) -> KeptChunk {
    KeptChunk(
      key: digest(key), fingerprint: fingerprint, sha256: digest(chunk), byteCount: chunkBytes)
  }

  func row(_ job: JobID) throws -> JobRow? { try ledger.job(job) }
}
