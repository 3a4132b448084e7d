import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Scheduling
import Threads
import Timeline

extension Services {
  /// Opens the file that a submission's body goes to, if there is room for it.
  func openSubmission(_ head: RequestHead) async throws -> SubmissionUpload {
    // As JSON, a project may be longer by its escapes; its assets come beside it.
    let limit = limits.projectBytes + (limits.projectBytes >> 2) + (1 << 20)
    guard head.contentLength ?? 0 <= Int64(limit) else {
      throw HTTPError.bodyTooLarge("the submission", limit: limit)
    }
    await farm.makeRoom(for: head.contentLength ?? Int64(limit))
    do { try space.assure(head.contentLength ?? Int64(limit)) } catch { throw HTTPError(error) }
    let path = "\(directory.uploads)/submission-\(SecureRandom.token(bytes: 12))"
    return try await threads.run { try SubmissionUpload(at: path, limit: limit) }
  }

  /// Makes a job of a submission, or finds the one that was already made under its key.
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
      // A submission that was accepted before needs no place.
      if let earlier = try await farm.job(under: key, for: caller) {
        return Acceptance(status: earlier, isNew: false)
      }
      let place = try submissionPlaces.enter(caller.name ?? "")
      defer { withExtendedLifetime(place) {} }
      return try await submit(upload, digest, under: key, for: caller)
    }
  }

  private func submit(
    _ upload: SubmissionUpload, _ digest: Digest, under key: SubmissionKey?, for caller: Caller
  ) async throws -> Acceptance {
    // Before the submission is read, which takes longer.
    try await farm.checkJobLimit(of: caller)
    do {
      return try await receive(upload, digest, under: key, for: caller)
    } catch let error as MissingUploads {
      // Not while the submission has its place: reading assets can take minutes.
      for digest in error.suspects {
        _ = try await assetChecks.problem(of: digest, for: caller.name)
      }
      throw HTTPError(
        .unprocessableContent, type: ProblemType.missingAsset.rawValue, detail: error.detail)
    }
  }

  /// Makes a job of a submission when there is room for it in memory.
  ///
  /// - Throws: ``MissingUploads`` if some of its assets are not here.
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

  /// Has a child process read a submission when it is its submitter's turn, and keeps the project's text. The
  /// coordinator itself never holds the project in memory.
  private func accept(
    _ upload: SubmissionUpload, _ digest: Digest, in folder: String, for caller: Caller
  ) async throws -> SubmissionFacts {
    var submission = try await read(upload, digest, in: folder, for: caller)
    guard JobSubmission.priorities.contains(submission.priority ?? 0) else {
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "a priority is a number from \(JobSubmission.priorities.lowerBound) to "
          + "\(JobSubmission.priorities.upperBound)")
    }
    let uploads = try await LongCoding.run(byteCount: upload.byteCount) {
      [assets = submission.assets] in
      try checkSources(of: assets.compactMap(\.url))
      return Set(assets.filter { !$0.isRemote }.compactMap(\.reference?.digest))
    }
    guard submission.assets.count <= limits.assetsPerSubmitter else {
      throw HTTPError.limitReached(
        "the project names \(submission.assets.count) files, more than the limit of "
          + "\(limits.assetsPerSubmitter)", status: .contentTooLarge)
    }
    let uploaded = try await farm.visible(uploads, to: caller)
    let located = try await threads.run { [assets = submission.assets] in
      locate(assets, uploaded: uploaded)
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
        "\(folder)/\(ReadingRequest.projectName)", project, as: documents.project(project))
    }
    return submission
  }

  /// The key of a submission, if it was sent with one.
  private func key(of digest: Digest, _ head: RequestHead) throws -> SubmissionKey? {
    guard let text = head.headers[IdempotencyKey.headerName] else { return nil }
    guard let key = IdempotencyKey(text) else {
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "\(IdempotencyKey.headerName) must be 1 to 128 visible ASCII characters")
    }
    return SubmissionKey(key: key, body: digest)
  }

  private func read(
    _ upload: SubmissionUpload, _ digest: Digest, in folder: String, for caller: Caller
  ) async throws -> SubmissionFacts {
    let request = ReadingRequest(
      submission: upload.path, digest: digest, directory: folder, depth: limits.jsonDepth,
      byteLimit: limits.projectBytes, limits: limits.planning)
    var tries = RunTries()
    while true {
      do {
        try await threads.run { try JobInputs.makeEmpty(folder) }
        return try await tools.read(request, for: caller.name)
      } catch let error as JobError {
        // A process that was killed from outside is not the project's fault. One that took too long had that time.
        guard error.failure.code == MediaChildren.killedCode,
          let pause = tries.pause(after: error)
        else { throw HTTPError(reading: error, in: directory.path) }
        try await Task.sleep(for: pause)
      } catch let error as ProjectError {
        throw HTTPError(
          reading: JobError(JobFailure.invalidProject, "\(error)"), in: directory.path)
      }
    }
  }

  /// Refuses a project that names a URL from which nothing is fetched. What is allowed is fetched when it is planned.
  private func checkSources(of urls: [AssetURL]) throws {
    let refused = Set(urls).sorted { $0.description < $1.description }
      .compactMap { url in sources.refusal(of: url).map { "\(url.shown): \($0)" } }
    guard refused.isEmpty else {
      throw HTTPError(
        .unprocessableContent, type: ProblemType.assetNotAllowed.rawValue,
        detail: refused.joined(separator: "\n").shortened(toBytes: JobFailure.longestMessage))
    }
  }

  /// The places of a project's assets.
  private struct Located {
    var assets: [ProjectAsset]
    /// For each asset that is neither here nor under a media root, its path and what to do.
    var missing: [String] = []
    /// The stored assets whose size is not that of the submission. Damaged ones are in the way of an upload.
    var suspects: Set<Digest> = []
  }

  /// Looks for each asset here and under the media roots. Blocks.
  ///
  /// - Parameter uploaded: those that count as being here, if they are.
  private func locate(_ named: [ProjectAsset], uploaded: Set<Digest>) -> Located {
    var located = named
    var missing: [String] = []
    var suspects: Set<Digest> = []
    for index in located.indices where !located[index].isRemote {
      let path = located[index].place
      guard var reference = located[index].reference else {
        missing.append("\(path): the submission does not say its digest and size")
        continue
      }
      // Before its file is looked for: retention would remove an old one in between.
      if uploaded.contains(reference.digest) { assets.touch(reference.digest) }
      let stored =
        uploaded.contains(reference.digest) ? assets.byteCount(of: reference.digest) : nil
      let real = reference.path.flatMap(mediaRoots.resolve)
      if let real, AssetStore.size(real) == reference.byteCount {
        reference.path = real
      } else if stored == reference.byteCount {
        reference.path = nil
      } else {
        if stored != nil { suspects.insert(reference.digest) }
        let place = reference.path.map { "\($0) is not under a media root of this size" }
        missing.append("\(path): \(place ?? "\(reference.digest) is not here"): upload it")
      }
      located[index].reference = reference
    }
    return Located(assets: located, missing: missing, suspects: suspects)
  }
}

extension HTTPError {
  /// Turns the error of reading a submission into a response.
  fileprivate init(reading error: JobError, in directory: String) {
    let code = error.failure.code
    let message = PublicMessage.forSubmitters(error.failure.message, data: directory)
    switch code {
    case SubmissionReading.malformedCode:
      self.init(.badRequest, type: ProblemType.malformedRequest.rawValue, detail: message)
    case SubmissionReading.tooLargeCode:
      self.init(.contentTooLarge, type: ProblemType.tooLarge.rawValue, detail: message)
    case PlanningQuota.code:
      self.init(
        .tooManyRequests, type: ProblemType.limitReached.rawValue, detail: message,
        headers: ["Retry-After": "60"])
    case JobError.limitReached:
      self.init(.contentTooLarge, type: ProblemType.limitReached.rawValue, detail: message)
    case MediaChildren.killedCode, MediaChildren.timeoutCode, JobError.diskFullCode,
      JobError.readFailedCode, JobError.writeFailedCode, SubmissionReading.damagedCode,
      JobError.notConfinedCode:
      self.init(
        .serviceUnavailable, type: ProblemType.unavailable.rawValue, detail: message,
        headers: ["Retry-After": "5"])
    default:
      self.init(.unprocessableContent, type: ProblemType.invalidProject.rawValue, detail: message)
    }
  }
}

/// Assets of a submission that are neither here nor under a media root.
private struct MissingUploads: Error {
  /// For each asset, its path and what to do.
  let detail: String
  /// The stored assets whose size is not that of the submission. Damaged ones are in the way of an upload, so they are
  /// read before the client is told to upload them.
  let suspects: Set<Digest>
}

/// A submission with a key that is being read.
struct SubmissionInFlight: Hashable, Sendable {
  let submitter: String?
  let key: SubmissionKey
}
