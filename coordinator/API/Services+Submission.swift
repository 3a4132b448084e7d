import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import ProjectFormat
import Scheduling
import Threads
import Timeline

extension Services {
  /// Opens the file that receives a submission's body if the disk has room for it.
  func openSubmission(_ head: RequestHead) async throws -> SubmissionUpload {
    // Escapes make a project longer as a JSON string, and the list of assets adds to it.
    let limit = limits.projectBytes + (limits.projectBytes >> 2) + (1 << 20)
    guard head.contentLength ?? 0 <= Int64(limit) else {
      throw HTTPError.bodyTooLarge("the submission", limit: limit)
    }
    await farm.makeRoom(for: head.contentLength ?? Int64(limit))
    try space.assure(head.contentLength ?? Int64(limit))
    let path = "\(directory.uploads)/submission-\(SecureRandom.token(bytes: 12))"
    return try await threads.run { try SubmissionUpload(at: path, limit: limit) }
  }

  /// Creates a job from a submission, or finds the job that was already created under its key.
  func submit(
    _ upload: SubmissionUpload, _ head: RequestHead, for caller: Caller
  ) async throws -> Acceptance {
    let digest = upload.digest()
    guard
      head.headers[ContentDigest.headerName].map({ ContentDigest.holds($0, for: digest) }) ?? true
    else { throw HTTPError.damagedRequest }
    guard let key = try key(of: digest, head) else {
      return try await submit(upload, digest, under: nil, for: caller)
    }
    return try await submissions.run(SubmissionInFlight(submitter: caller.name, key: key)) {
      // A submission that was accepted earlier needs no slot.
      if let earlier = try await farm.job(under: key, for: caller) {
        return Acceptance(status: earlier, isNew: false)
      }
      let slot = try submissionSlots.enter(caller.name ?? "")
      defer { withExtendedLifetime(slot) {} }
      return try await submit(upload, digest, under: key, for: caller)
    }
  }

  private func submit(
    _ upload: SubmissionUpload, _ digest: Digest, under key: SubmissionKey?, for caller: Caller
  ) async throws -> Acceptance {
    // Checked before the submission is read, because reading takes longer.
    try await farm.checkJobLimit(of: caller)
    do {
      return try await receive(upload, digest, under: key, for: caller)
    } catch let error as MissingUploads {
      // Runs after the submission has left its slot in memory, because reading assets can take minutes.
      for digest in error.suspects {
        _ = try await assetChecks.problem(of: digest, for: caller.name)
      }
      throw HTTPError(
        .unprocessableContent, type: ProblemType.missingAsset.rawValue, detail: error.detail)
    }
  }

  /// Creates a job from a submission when there is room for it in memory.
  ///
  /// - Throws: ``MissingUploads`` if some of its assets have to be uploaded.
  private func receive(
    _ upload: SubmissionUpload, _ digest: Digest, under key: SubmissionKey?, for caller: Caller
  ) async throws -> Acceptance {
    try await reception.run(for: caller.name, byteCount: upload.byteCount) {
      let folder = "\(upload.path)-read"
      let outcome: Result<SubmissionFacts, any Error>
      do {
        outcome = .success(try await accept(upload, digest, in: folder, for: caller))
      } catch {
        outcome = .failure(error)
      }
      try? await threads.run { try FileManager.default.removeItem(atPath: folder) }
      let facts = try outcome.get()
      let stored = try await LongCoding.run(byteCount: upload.byteCount) {
        try StoredSubmission(facts)
      }
      return try await farm.submit(stored, under: key, by: caller)
    }
  }

  /// Reads a submission in a child process when it is the submitter's turn, and stores the project's text. The
  /// coordinator itself never holds the project in memory.
  private func accept(
    _ upload: SubmissionUpload, _ digest: Digest, in folder: String, for caller: Caller
  ) async throws -> SubmissionFacts {
    var submission: SubmissionFacts
    do {
      submission = try await read(upload, digest, in: folder, for: caller)
    } catch let error as ProjectError {
      throw HTTPError(reading: JobError(JobFailure(error)), in: directory.path)
    } catch let error as JobError {
      throw HTTPError(reading: error, in: directory.path)
    }
    guard JobSubmission.priorities.contains(submission.priority ?? 0) else {
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "priority must be \(JobSubmission.priorities.lowerBound) to "
          + "\(JobSubmission.priorities.upperBound)")
    }
    try checkNotify(submission.notify)
    if let pool = submission.pool, PoolName(pool) == nil {
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "pool: a pool's name has \(PoolName.contents)")
    }
    try checkCount(of: submission)
    try await checkRecordings(of: submission.assets, for: caller)
    let uploads = try await LongCoding.run(byteCount: upload.byteCount) {
      [assets = submission.assets] in
      try checkSources(of: assets.compactMap(\.url))
      return Set(assets.filter { !$0.isRemote }.compactMap(\.reference?.digest))
    }
    let uploaded = try await farm.visible(uploads, to: caller)
    let located = try await threads.run { [assets = submission.assets] () throws in
      try locate(assets, uploaded: uploaded)
    }
    guard located.missing.isEmpty else {
      throw MissingUploads(
        detail: Set(located.missing).sorted().joined(separator: "\n")
          .shortened(toBytes: JobFailure.longestMessage),
        suspects: located.suspects)
    }
    submission.assets = located.assets
    try await BlockingThread.run(named: "project") { [documents, project = submission.project] in
      try documents.keep(
        "\(folder)/\(ReadingRequest.projectName)", as: .project(project))
    }
    return submission
  }

  /// Rejects a project that names more files than a submitter may have.
  func checkCount(of submission: SubmissionFacts) throws {
    guard submission.assets.count <= limits.assetsPerSubmitter else {
      throw HTTPError(
        .contentTooLarge, type: ProblemType.limitReached.rawValue,
        detail: "the project names \(submission.assets.count) files, more than the limit of "
          + "\(limits.assetsPerSubmitter)",
        headers: ["Retry-After": "5"])
    }
  }

  /// Rejects a URL for notifications that is invalid or that the operator does not allow.
  private func checkNotify(_ text: String?) throws {
    guard let text else { return }
    var refusal: String?
    do {
      refusal = notifications.refusal(of: try AssetURL(text))
    } catch {
      refusal = "notify: \(error)"
    }
    guard let refusal else { return }
    throw HTTPError(
      .badRequest, type: ProblemType.malformedRequest.rawValue, detail: refusal)
  }

  /// The key of a submission, if it was sent with one.
  private func key(of digest: Digest, _ head: RequestHead) throws -> SubmissionKey? {
    try Self.key(in: head.headers).map { SubmissionKey(key: $0, body: digest) }
  }

  /// The key that a request was sent with, if there is one.
  static func key(in headers: Headers) throws -> IdempotencyKey? {
    guard let text = headers[IdempotencyKey.headerName] else { return nil }
    guard let key = IdempotencyKey(text) else {
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "\(IdempotencyKey.headerName) must be 1 to 128 visible ASCII characters")
    }
    return key
  }

  /// Reads a submission in a child process.
  ///
  /// - Throws: `ProjectError` with all findings, or ``JobError``.
  func read(
    _ upload: SubmissionUpload, _ digest: Digest, in folder: String, for caller: Caller
  ) async throws -> SubmissionFacts {
    let request = ReadingRequest(
      submission: upload.path, digest: digest, directory: folder, depth: limits.jsonDepth,
      byteLimit: limits.projectBytes, limits: limits.planning)
    var tries = tries
    while true {
      do {
        try await threads.run { try JobInputs.makeEmpty(folder) }
        return try await tools.read(request, for: caller.name)
      } catch let error as JobError {
        // The project is not to blame if a process was killed from outside. A process that timed out is not tried
        // again, because it used its full time.
        guard error.failure.code == .mediaProcessKilled,
          let pause = tries.pause(after: error)
        else { throw error }
        try await Task.sleep(for: pause)
      }
    }
  }

  /// Rejects a project that names a URL that is not allowed. Allowed URLs are fetched before the job is planned.
  private func checkSources(of urls: [AssetURL]) throws {
    let refused = Set(urls).sorted { $0.description < $1.description }
      .compactMap { url in sources.refusal(of: url).map { "\(url.shown): \($0)" } }
    guard refused.isEmpty else {
      throw HTTPError(
        .unprocessableContent, type: ProblemType.assetNotAllowed.rawValue,
        detail: refused.joined(separator: "\n").shortened(toBytes: JobFailure.longestMessage))
    }
  }

  /// Rejects a project that names a recording that does not exist, or that the caller may not see.
  private func checkRecordings(of assets: [ProjectAsset], for caller: Caller) async throws {
    let refusals = try await refusals(ofRecordings: assets.compactMap(\.url), for: caller)
    guard !refusals.isEmpty else { return }
    let refused = assets.compactMap { asset in
      asset.url?.recording.flatMap { refusals[$0.id] }.map { "\(asset.name): \($0)" }
    }
    guard refused.isEmpty else {
      throw HTTPError(
        .unprocessableContent, type: ProblemType.assetNotAllowed.rawValue,
        detail: refused.joined(separator: "\n").shortened(toBytes: JobFailure.longestMessage))
    }
  }

  /// The reasons why some recordings cannot be assets of a caller's project, by their ids. Each is looked up once.
  func refusals(
    ofRecordings urls: [AssetURL], for caller: Caller
  ) async throws -> [String: String] {
    var refusals: [String: String] = [:]
    for id in Set(urls.compactMap(\.recording?.id)) {
      do {
        let status = try await farm.recording(id, for: caller)
        let follows = urls.contains { $0.recording?.id == id && $0.follows }
        if follows, status.splitLength != nil {
          refusals[id] =
            "a split recording cannot be followed: use recording://\(id), or recording://\(id)/2 for its "
            + "second file"
        }
      } catch let error as FarmError where error.code == .notFound {
        refusals[id] = "there is no recording '\(id)': `sheaf recordings` lists them"
      }
    }
    return refusals
  }

  /// The places of a project's assets.
  struct Located {
    var assets: [ProjectAsset]
    /// A message for each asset that is neither stored nor under a media root.
    var missing: [String] = []
    /// The reason why such an asset cannot be used, by its name in the project.
    var absent: [String: AbsentAsset] = [:]
    /// The stored assets whose size differs from the submission. They may be damaged.
    var suspects: Set<Digest> = []
  }

  /// Looks for each asset in the store and under the media roots. Blocks.
  ///
  /// - Parameter uploaded: the stored assets that the submitter may use.
  /// - Throws: ``StorageError`` if an object store does not answer.
  func locate(_ named: [ProjectAsset], uploaded: Set<Digest>) throws(StorageError) -> Located {
    var located = named
    var missing: [String] = []
    var absent: [String: AbsentAsset] = [:]
    var suspects: Set<Digest> = []
    for index in located.indices where !located[index].isRemote {
      let path = located[index].place
      guard var reference = located[index].reference else {
        let reason = "the submission does not state its digest and size: add them"
        missing.append("\(path): \(reason)")
        absent[located[index].name] = .missing(digest: nil, message: reason)
        continue
      }
      // Touched before the lookup, so that retention does not remove an old file in between.
      if uploaded.contains(reference.digest) { assets.touch(reference.digest) }
      let stored =
        uploaded.contains(reference.digest)
        ? try assets.byteCount(of: reference.digest) : nil
      let real = reference.path.flatMap(mediaRoots.resolve)
      if let real, FileFacts.byteCount(at: real) == reference.byteCount {
        reference.path = real
      } else if stored == reference.byteCount {
        reference.path = nil
      } else {
        if stored != nil { suspects.insert(reference.digest) }
        let place = reference.path.map { "\($0) is not a file of this size under a media root" }
        let reason = "\(place ?? "\(reference.digest) has not been uploaded"): upload it"
        missing.append("\(path): \(reason)")
        absent[located[index].name] = .missing(digest: reference.digest, message: reason)
      }
      located[index].reference = reference
    }
    return Located(assets: located, missing: missing, absent: absent, suspects: suspects)
  }
}

/// Why a submission is refused.
enum SubmissionRefusal {
  /// The request is not a submission.
  case malformed
  /// The project is larger than the coordinator accepts.
  case tooLarge
  /// The submitter has used up its time for planning.
  case quota
  /// The project exceeds a limit.
  case limit
  /// The coordinator cannot examine the project at present.
  case unavailable
  /// The project cannot be rendered.
  case invalidProject

  init(_ code: FailureCode) {
    switch code {
    case .malformedRequest: self = .malformed
    case .tooLarge: self = .tooLarge
    case .planningQuotaReached: self = .quota
    case .limitReached: self = .limit
    case .mediaProcessKilled, .mediaProcessTimedOut, .diskFull, .readFailed, .writeFailed,
      .damagedSubmission, .notConfined:
      self = .unavailable
    default: self = .invalidProject
    }
  }
}

extension HTTPError {
  /// Turns the error of reading a submission into a response.
  init(reading error: JobError, in directory: String) {
    let message = PublicMessage.forSubmitters(error.failure.message, data: directory)
    switch SubmissionRefusal(error.failure.code) {
    case .malformed:
      self.init(.badRequest, type: ProblemType.malformedRequest.rawValue, detail: message)
    case .tooLarge:
      self.init(.contentTooLarge, type: ProblemType.tooLarge.rawValue, detail: message)
    case .quota:
      self.init(
        .tooManyRequests, type: ProblemType.limitReached.rawValue, detail: message,
        headers: ["Retry-After": "60"])
    case .limit:
      self.init(.contentTooLarge, type: ProblemType.limitReached.rawValue, detail: message)
    case .unavailable:
      self.init(
        .serviceUnavailable, type: ProblemType.unavailable.rawValue, detail: message,
        headers: ["Retry-After": "5"])
    case .invalidProject:
      self.init(.unprocessableContent, type: ProblemType.invalidProject.rawValue, detail: message)
    }
  }
}

/// Assets of a submission that are neither stored nor under a media root.
private struct MissingUploads: Error {
  /// A message with one line for each asset.
  let detail: String
  /// The stored assets whose size differs from the submission. A damaged asset would prevent an upload, so they are
  /// read before the client is asked to upload them.
  let suspects: Set<Digest>
}

/// A submission with a key that is being read.
struct SubmissionInFlight: Hashable, Sendable {
  let submitter: String?
  let key: SubmissionKey
}
