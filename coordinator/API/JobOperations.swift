import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Scheduling
import Threads
import Timeline

extension Services {
  /// The routes of jobs.
  var jobOperations: [Operation] {
    [
      Operation(
        .post, "/api/v1/jobs", "Submit a project", for: .submitters,
        open: { head, _ in try await openSubmission(head) },
        { head, caller, upload in
          let job = try await submit(upload, head, for: caller)
          return try .wire(
            job.status, status: job.isNew ? .created : .ok,
            headers: ["Location": "/api/v1/jobs/\(job.status.id)"])
        }
      )
      .taking(
        .json(.jobSubmission),
        Operation.Parameter(
          name: IdempotencyKey.headerName, place: "header",
          summary: "1 to 128 visible characters: the same key and body give the same job",
          isRequired: false),
        Operation.Parameter(
          name: ContentDigest.headerName, place: "header",
          summary: "The body's SHA-256 (RFC 9530), by which a damaged one is refused",
          isRequired: false)
      )
      .answering(.created, "The job", .json(.jobStatus))
      .answering(.ok, "The job that was already submitted under the key", .json(.jobStatus))
      .refusing(.badRequest, .damagedRequest)
      .refusing(.unprocessableContent, .keyReused)
      .refusing(.badRequest, .malformedRequest)
      .refusing(.unprocessableContent, .invalidProject)
      .refusing(.unprocessableContent, .missingAsset)
      .refusing(.unprocessableContent, .assetNotAllowed)
      .refusing(.contentTooLarge, .tooLarge).refusing(.contentTooLarge, .limitReached)
      .refusing(.tooManyRequests, .limitReached).refusing(.insufficientStorage, .unavailable)
      .refusing(.serviceUnavailable, .unavailable),

      Operation(.get, "/api/v1/jobs", "Every job, the newest first", for: .readers) {
        request, caller in
        try .wire(
          try await jobs(
            for: caller, before: request.query["before"].map(JobID.init(rawValue:)),
            limit: try request.limit))
      }
      .with(
        Operation.Parameter(
          name: "limit", place: "query", summary: "At most so many jobs, 1 to 1000 (1000)",
          isRequired: false)
      )
      .with(
        Operation.Parameter(
          name: "before", place: "query", summary: "Only jobs that came before the job of this id",
          isRequired: false)
      )
      .answering(.ok, "The jobs", .list(.jobStatus))
      .refusing(.badRequest, .malformedRequest).refusing(.notFound, .notFound),

      Operation(.get, "/api/v1/jobs/{id}", "One job", for: .readers) { request, caller in
        try .wire(try await farm.status(of: request.job, for: caller))
      }
      .answering(.ok, "The job", .json(.jobStatus)).refusing(.notFound, .notFound),

      Operation(.get, "/api/v1/jobs/{id}/segments", "A job's segments, in order", for: .readers) {
        request, caller in
        let (id, after, limit) = (try request.job, try request.after, try request.limit)
        return try .wire(
          try await listing.run(for: caller.name) {
            try await farm.segments(of: id, after: after, limit: limit, for: caller)
          })
      }
      .with(
        Operation.Parameter(
          name: "limit", place: "query", summary: "At most so many segments, 1 to 1000 (1000)",
          isRequired: false)
      )
      .with(
        Operation.Parameter(
          name: "after", place: "query", summary: "Only segments after the one of this index",
          isRequired: false)
      )
      .answering(.ok, "The segments", .list(.segmentStatus))
      .refusing(.badRequest, .malformedRequest).refusing(.notFound, .notFound),

      Operation(
        .get, "/api/v1/jobs/{id}/concealments",
        "The parts of a job's file that show or play concealed damage, in order", for: .readers
      ) { request, caller in
        let (id, after, limit) = (try request.job, try request.after, try request.limit)
        return try .wire(
          try await listing.run(for: caller.name) {
            try await farm.concealments(of: id, after: after ?? 0, limit: limit, for: caller)
          })
      }
      .with(
        Operation.Parameter(
          name: "limit", place: "query", summary: "At most so many parts, 1 to 1000 (1000)",
          isRequired: false)
      )
      .with(
        Operation.Parameter(
          name: "after", place: "query", summary: "Leave out so many parts at the beginning",
          isRequired: false)
      )
      .answering(.ok, "The parts", .list(.concealedMedia))
      .refusing(.badRequest, .malformedRequest).refusing(.notFound, .notFound),

      Operation(.post, "/api/v1/jobs/{id}/cancel", "Call a job off", for: .submitters) {
        request, caller in
        try .wire(try await farm.cancel(request.job, for: caller))
      }
      .answering(.ok, "The job", .json(.jobStatus)).refusing(.notFound, .notFound)
      .refusing(.conflict, .wrongState),

      Operation(
        .post, "/api/v1/jobs/{id}/retry", "Begin a failed or cancelled job again",
        for: .submitters
      ) { request, caller in
        return try .wire(try await farm.retry(request.job, for: caller))
      }
      .answering(.ok, "The job", .json(.jobStatus)).refusing(.notFound, .notFound)
      .refusing(.conflict, .wrongState),

      Operation(.get, "/api/v1/jobs/{id}/output", "A job's finished file", for: .readers) {
        request, caller in
        try await output(request, for: caller)
      }
      .with(
        Operation.Parameter(
          name: "Range", place: "header", summary: "A range of bytes", isRequired: false)
      )
      .with(
        Operation.Parameter(
          name: "Prefer", place: "header",
          summary: "wait=SECONDS: how long to wait while the file is checked, at most "
            + "\(Self.longestCheckWait.components.seconds); without it, until the check is done",
          isRequired: false)
      )
      .answering(.ok, "The file", .bytes).answering(.partialContent, "A part of it", .bytes)
      .refusing(.notFound, .notFound).refusing(.conflict, .wrongState)
      .refusing(.serviceUnavailable, .outputCheck),
    ]
  }

  /// The number of jobs that are read in one call to the farm.
  private static let jobBatch = 50

  /// The jobs that the caller may see, the newest first.
  private func jobs(
    for caller: Caller, before earlier: JobID?, limit: Int
  ) async throws -> [JobStatus] {
    try await listing.run(for: caller.name) {
      var jobs: [JobStatus] = []
      var last = earlier
      while jobs.count < limit {
        let count = min(Self.jobBatch, limit - jobs.count)
        let batch = try await farm.statuses(for: caller, before: last, limit: count)
        jobs += batch
        guard batch.count == count, let id = batch.last?.id else { break }
        last = JobID(rawValue: id)
      }
      return jobs
    }
  }

  private func openSubmission(_ head: RequestHead) async throws -> SubmissionUpload {
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

  private func submit(
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

  private func output(_ request: Request, for caller: Caller) async throws -> Response {
    let id = try request.job
    let status = try await farm.status(of: id, for: caller)
    guard let output = try await farm.output(of: id) else {
      throw HTTPError.wrongState("job '\(id)' is \(status.state.rawValue): there is no file yet")
    }
    let name = output.fileName.split(separator: ".").last ?? ""
    let type = FileType(rawValue: String(name)) ?? .mp4
    let path = directory.output(of: id.rawValue, type)
    let wait = request.headers.preferredWait.map { min($0, Self.longestCheckWait) }
    try await assureSound(path, output.sha256, of: id, for: caller, within: wait)
    return try await threads.run {
      var response = try Response.file(
        path: path, request: request,
        contentType: type.contentType(hasVideo: status.frameCount != 0),
        etag: output.sha256.description)
      response.headers["Content-Disposition"] = Self.disposition(output.fileName)
      return response
    }
  }

  /// The longest time that a request waits for the check of a finished file if it says how long it wants to wait.
  private static let longestCheckWait = Duration.seconds(30)

  /// Fails the job if its finished file is damaged or missing, so that the file is never delivered. A file that was lost and
  /// is sound again completes its job again.
  ///
  /// - Parameter wait: how long to wait while the file is checked; `nil` to wait until that is done.
  private func assureSound(
    _ path: String, _ sha256: Digest, of id: JobID, for caller: Caller, within wait: Duration?
  ) async throws {
    let checked = try await outputChecks.check(path, sha256, for: caller.name, within: wait)
    guard let verdict = checked else {
      throw HTTPError(
        .serviceUnavailable, type: ProblemType.outputCheck.rawValue,
        detail: "the finished file of job '\(id)' is being checked before it is sent",
        headers: ["Retry-After": "1"],
        members: [ProblemType.bytesReadMember: "\(outputChecks.bytesRead)"])
    }
    guard let problem = verdict.problem else {
      guard try await farm.recoverOutput(of: id, sha256) else {
        throw HTTPError.wrongState(
          "job '\(id)' has lost its finished file: retry the job, which makes it again")
      }
      return
    }
    if try await farm.loseOutput(of: id, sha256, because: problem) {
      try await BlockingThread.run(named: "output") { [outputs] in
        outputs.setAside(path, sha256, after: verdict)
      }
    }
    throw HTTPError.wrongState(
      "the finished file of job '\(id)' \(problem): retry the job, which makes the file again")
  }

  /// A `Content-Disposition` header with the name percent-encoded as UTF-8 (RFC 6266). Browsers save the file under
  /// this name, so nothing in it may disguise the type of the file.
  static func disposition(_ name: String) -> String {
    let encoded =
      PrintableText(name).description.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
      ?? "output"
    return "inline; filename*=UTF-8''\(encoded)"
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

extension Request {
  /// The segment, or the number of parts, after which a part of a list begins.
  fileprivate var after: Int? {
    get throws {
      guard let text = self.query["after"] else { return nil }
      guard let number = Int(text), (0...Int(Int32.max)).contains(number) else {
        throw HTTPError(
          .badRequest, type: ProblemType.malformedRequest.rawValue,
          detail: "after '\(text)' must be 0 to \(Int32.max)")
      }
      return number
    }
  }

  /// The maximum number of elements in a list.
  fileprivate var limit: Int {
    get throws {
      guard let text = self.query["limit"] else { return 1000 }
      guard let number = Int(text), (1...1000).contains(number) else {
        throw HTTPError(
          .badRequest, type: ProblemType.malformedRequest.rawValue,
          detail: "limit '\(text)' is not a number from 1 to 1000")
      }
      return number
    }
  }

  /// The job that the path names.
  var job: JobID {
    get throws { JobID(rawValue: try parameter("id")) }
  }
}

/// A submission with a key that is being read.
struct SubmissionInFlight: Hashable, Sendable {
  let submitter: String?
  let key: SubmissionKey
}
