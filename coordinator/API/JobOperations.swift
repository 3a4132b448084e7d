import Crypto
import FarmAPI
import Foundation
import HTTP
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
          try await submissions.enter()
          defer { submissions.leave() }
          let (status, isNew) = try await submit(upload, head, for: caller)
          return try .wire(
            status, status: isNew ? .created : .ok,
            headers: ["Location": "/api/v1/jobs/\(status.id)"])
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
      .answering(.ok, "The job that was submitted under the key before", .json(.jobStatus))
      .refusing(.badRequest, .damagedRequest)
      .refusing(.unprocessableContent, .keyReused)
      .refusing(.badRequest, .malformedRequest)
      .refusing(.unprocessableContent, .invalidProject)
      .refusing(.unprocessableContent, .missingAsset)
      .refusing(.unprocessableContent, .assetNotAllowed)
      .refusing(.contentTooLarge, .tooLarge).refusing(.tooManyRequests, .limitReached)
      .refusing(.insufficientStorage, .unavailable),

      Operation(.get, "/api/v1/jobs", "Every job, the newest first", for: .readers) {
        request, caller in
        try .wire(
          try await farm.statuses(
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

      Operation(.get, "/api/v1/jobs/{id}/segments", "A job's segments", for: .readers) {
        request, caller in
        try .wire(try await farm.segments(of: request.job, for: caller))
      }
      .answering(.ok, "The segments", .list(.segmentStatus)).refusing(.notFound, .notFound),

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
        try await farm.checkJobLimit(of: caller, limits)
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
      .answering(.ok, "The file", .bytes).answering(.partialContent, "A part of it", .bytes)
      .refusing(.notFound, .notFound).refusing(.conflict, .wrongState),
    ]
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
  ) async throws -> (status: JobStatus, isNew: Bool) {
    let key = try key(of: upload, head)
    if let earlier = try await farm.job(under: key, for: caller) { return (earlier, false) }
    try await farm.checkJobLimit(of: caller, limits)
    var submission = try await BlockingThread.run(named: "submission") { [limits] in
      try upload.read(depth: limits.jsonDepth)
    }
    guard submission.project.utf8.count <= limits.projectBytes else {
      throw HTTPError.bodyTooLarge("the project", limit: limits.projectBytes)
    }
    submission.name = String(submission.name.prefix(200))
    guard JobSubmission.priorities.contains(submission.priority ?? 0) else {
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "a priority is a number from \(JobSubmission.priorities.lowerBound) to "
          + "\(JobSubmission.priorities.upperBound)")
    }
    let text = submission.project
    let named: [Asset]
    do {
      named = try await BlockingThread.run(named: "parse") {
        try Array(ProjectDocument.parse([UInt8](text.utf8)).assets.values)
      }
    } catch let error as ProjectError {
      throw HTTPError(
        .unprocessableContent, type: ProblemType.invalidProject.rawValue,
        detail: error.lines.joined(separator: "\n"))
    }
    try checkSources(of: named.compactMap(\.url))
    let paths = named.compactMap(\.path)
    guard named.count <= limits.assetsPerSubmitter else {
      throw HTTPError.limitReached(
        "the project names \(named.count) files, and may name "
          + "\(limits.assetsPerSubmitter)", status: .contentTooLarge)
    }
    let uploaded = try await farm.visible(
      Set(paths.compactMap { submission.assets[$0]?.digest }), to: caller)
    let assets = try await threads.run { [submission, paths] in
      try locate(submission.assets, paths, uploaded: uploaded)
    }
    submission.assets = assets
    return try await farm.submit(submission, under: key, by: caller)
  }

  /// What a submission was sent under, once its body is found to be the one that was sent.
  private func key(of upload: SubmissionUpload, _ head: RequestHead) throws -> SubmissionKey? {
    let digest = upload.digest()
    if let claim = head.headers[ContentDigest.headerName], let digest,
      !ContentDigest.holds(claim, for: digest)
    {
      throw HTTPError(
        .badRequest, type: ProblemType.damagedRequest.rawValue,
        detail:
          "the body is not the one of its Content-Digest: it changed on its way: send it again")
    }
    guard let text = head.headers[IdempotencyKey.headerName], let digest else { return nil }
    guard let key = IdempotencyKey(text) else {
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "\(IdempotencyKey.headerName) must be 1 to 128 visible ASCII characters")
    }
    return SubmissionKey(key: key, body: digest)
  }

  /// Refuses a project that names a URL from which nothing is fetched. What is allowed is fetched when it is planned.
  private func checkSources(of urls: [AssetURL]) throws {
    let refused = Set(urls).sorted { $0.description < $1.description }
      .compactMap { url in sources.refusal(of: url).map { "\(url.shown): \($0)" } }
    guard refused.isEmpty else {
      throw HTTPError(
        .unprocessableContent, type: ProblemType.assetNotAllowed.rawValue,
        detail: refused.joined(separator: "\n"))
    }
  }

  /// Makes sure that every asset is here or under a media root. Blocks.
  ///
  /// - Parameter uploaded: those that count as being here, if they are.
  private func locate(
    _ references: [String: AssetReference], _ paths: [String], uploaded: Set<Digest>
  ) throws -> [String: AssetReference] {
    var located: [String: AssetReference] = [:]
    var missing: [String] = []
    for path in Set(paths).sorted() {
      guard var reference = references[path] else {
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
      located[path] = reference
    }
    guard missing.isEmpty else {
      throw HTTPError(
        .unprocessableContent, type: ProblemType.missingAsset.rawValue,
        detail: missing.joined(separator: "\n"))
    }
    return located
  }

  private func output(_ request: Request, for caller: Caller) async throws -> Response {
    let id = try request.job
    let status = try await farm.status(of: id, for: caller)
    guard let output = status.output else {
      throw HTTPError.wrongState("job '\(id)' is \(status.state.rawValue): there is no file yet")
    }
    let name = output.fileName.split(separator: ".").last ?? ""
    let type = FileType(rawValue: String(name)) ?? .mp4
    let path = directory.output(of: id.rawValue, type)
    try await assureSound(path, output.sha256, of: id)
    return try await threads.run {
      var response = try Response.file(
        path: path, request: request,
        contentType: type.contentType(hasVideo: status.frameCount != 0),
        etag: output.sha256.description)
      response.headers["Content-Disposition"] = Self.disposition(output.fileName)
      return response
    }
  }

  /// Fails the job if its finished file is damaged or gone, so that nobody gets that file.
  private func assureSound(_ path: String, _ sha256: Digest, of id: JobID) async throws {
    let verdict = try await BlockingThread.run(named: "output") { [outputs] in
      try outputs.check(path, sha256)
    }
    guard case .damaged(let reason) = verdict else { return }
    if try await farm.loseOutput(of: id, sha256, because: reason) {
      try await BlockingThread.run(named: "output") { [outputs] in
        outputs.setAside(path, sha256, because: reason)
      }
    }
    throw HTTPError.wrongState(
      "job '\(id)' has failed: the finished file \(reason): retry the job, which makes it again")
  }

  /// RFC 6266: the name percent-encoded as UTF-8, which every browser understands. A browser saves the file under it, so
  /// that nothing in it may hide what kind of file that is.
  static func disposition(_ name: String) -> String {
    let encoded =
      PrintableText(name).description.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
      ?? "output"
    return "inline; filename*=UTF-8''\(encoded)"
  }
}

extension Request {
  /// How many jobs a list may have.
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
