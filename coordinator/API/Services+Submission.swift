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
    guard let digest = upload.digest(),
      head.headers[ContentDigest.headerName].map({ ContentDigest.holds($0, for: digest) }) ?? true
    else { throw HTTPError.damagedRequest }
    guard let key = try key(of: digest, head) else {
      return try await submit(upload, digest, under: nil, for: caller)
    }
    return try await submissions.run(SubmissionInFlight(submitter: caller.name, key: key)) {
      try await submit(upload, digest, under: key, for: caller)
    }
  }

  private func submit(
    _ upload: SubmissionUpload, _ digest: Digest, under key: SubmissionKey?, for caller: Caller
  ) async throws -> Acceptance {
    if let earlier = try await farm.job(under: key, for: caller) {
      return Acceptance(status: earlier, isNew: false)
    }
    // Before the submission is read, which takes longer.
    try await farm.checkJobLimit(of: caller)
    let folder = "\(upload.path)-read"
    let outcome: Result<SubmissionFacts, any Error>
    do {
      outcome = .success(try await accept(upload, digest, in: folder, for: caller))
    } catch {
      outcome = .failure(error)
    }
    try? await threads.run { try FileManager.default.removeItem(atPath: folder) }
    return try await farm.submit(StoredSubmission(outcome.get()), under: key, by: caller)
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
    try checkSources(of: submission.assets.compactMap(\.url))
    let files = submission.assets.filter { !$0.isRemote }
    guard submission.assets.count <= limits.assetsPerSubmitter else {
      throw HTTPError.limitReached(
        "the project names \(submission.assets.count) files, more than the limit of "
          + "\(limits.assetsPerSubmitter)", status: .contentTooLarge)
    }
    let uploaded = try await farm.visible(Set(files.compactMap(\.reference?.digest)), to: caller)
    submission.assets = try await threads.run { [assets = submission.assets] in
      try locate(assets, uploaded: uploaded)
    }
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

  /// Makes sure that every asset is here or under a media root. Blocks.
  ///
  /// - Parameter uploaded: those that count as being here, if they are.
  private func locate(
    _ named: [ProjectAsset], uploaded: Set<Digest>
  ) throws -> [ProjectAsset] {
    var located = named
    var missing: [String] = []
    for index in located.indices where !located[index].isRemote {
      let path = located[index].place
      guard var reference = located[index].reference else {
        missing.append("\(path): the submission does not say its digest and size")
        continue
      }
      let real = reference.path.flatMap(mediaRoots.resolve)
      if let real, AssetStore.size(real) == reference.byteCount {
        reference.path = real
      } else if uploaded.contains(reference.digest),
        assets.byteCount(of: reference.digest) == reference.byteCount
      {
        reference.path = nil
        assets.touch(reference.digest)
      } else if let named = reference.path {
        missing.append("\(path): \(named) is not under a media root of this size: upload it")
      } else {
        missing.append("\(path): \(reference.digest) is not here: upload it")
      }
      located[index].reference = reference
    }
    guard missing.isEmpty else {
      throw HTTPError(
        .unprocessableContent, type: ProblemType.missingAsset.rawValue,
        detail: Set(missing).sorted().joined(separator: "\n")
          .shortened(toBytes: JobFailure.longestMessage))
    }
    return located
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
      SubmissionReading.damagedCode, "not-confined":
      self.init(
        .serviceUnavailable, type: ProblemType.unavailable.rawValue, detail: message,
        headers: ["Retry-After": "5"])
    default:
      self.init(.unprocessableContent, type: ProblemType.invalidProject.rawValue, detail: message)
    }
  }
}

/// A submission with a key that is being read.
struct SubmissionInFlight: Hashable, Sendable {
  let submitter: String?
  let key: SubmissionKey
}
