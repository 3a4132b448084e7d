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
        .post, "/api/v1/jobs", "Submit a project",
        bodyLimit: ProjectDocument.byteLimit + (ProjectDocument.byteLimit >> 2)
      ) { request in
        let status = try await submit(request.wire())
        return try .wire(
          status, status: .created, headers: ["Location": "/api/v1/jobs/\(status.id)"])
      }
      .taking(.json(.jobSubmission))
      .answering(.created, "The job", .json(.jobStatus))
      .refusing(.badRequest, .malformedRequest)
      .refusing(.unprocessableContent, .invalidProject)
      .refusing(.unprocessableContent, .missingAsset),

      Operation(.get, "/api/v1/jobs", "Every job, the newest first") { _ in
        try .wire(try await farm.statuses())
      }
      .answering(.ok, "The jobs", .list(.jobStatus)),

      Operation(.get, "/api/v1/jobs/{id}", "One job") { request in
        try .wire(try await farm.status(of: request.job))
      }
      .answering(.ok, "The job", .json(.jobStatus)).refusing(.notFound, .notFound),

      Operation(.get, "/api/v1/jobs/{id}/segments", "A job's segments") { request in
        try .wire(try await farm.segments(of: request.job))
      }
      .answering(.ok, "The segments", .list(.segmentStatus)).refusing(.notFound, .notFound),

      Operation(.post, "/api/v1/jobs/{id}/cancel", "Call a job off") { request in
        try .wire(try await farm.cancel(request.job))
      }
      .answering(.ok, "The job", .json(.jobStatus)).refusing(.notFound, .notFound)
      .refusing(.conflict, .wrongState),

      Operation(.post, "/api/v1/jobs/{id}/retry", "Begin a failed or cancelled job again") {
        request in
        try .wire(try await farm.retry(request.job))
      }
      .answering(.ok, "The job", .json(.jobStatus)).refusing(.notFound, .notFound)
      .refusing(.conflict, .wrongState),

      Operation(.get, "/api/v1/jobs/{id}/output", "A job's finished file") { request in
        try await output(request)
      }
      .with(
        Operation.Parameter(
          name: "Range", place: "header", summary: "A range of bytes", isRequired: false)
      )
      .answering(.ok, "The file", .bytes).answering(.partialContent, "A part of it", .bytes)
      .refusing(.notFound, .notFound).refusing(.conflict, .wrongState),
    ]
  }

  private func submit(_ submission: JobSubmission) async throws -> JobStatus {
    var submission = submission
    submission.name = String(submission.name.prefix(200))
    let text = submission.project
    let paths: [String]
    do {
      paths = try await BlockingThread.run(named: "parse") {
        try ProjectDocument.parse([UInt8](text.utf8)).assets.values.map(\.path)
      }
    } catch let error as ProjectError {
      throw HTTPError(
        .unprocessableContent, type: ProblemType.invalidProject.rawValue,
        detail: error.lines.joined(separator: "\n"))
    }
    let (assets, shared) = try await threads.run { [submission, paths] in
      try locate(submission.assets, paths)
    }
    submission.assets = assets
    return try await farm.submit(submission, sharing: shared)
  }

  /// Makes sure that every asset is here or under a media root. Blocks.
  private func locate(
    _ references: [String: AssetReference], _ paths: [String]
  ) throws -> ([String: AssetReference], [SharedAsset]) {
    var located: [String: AssetReference] = [:]
    var shared: [SharedAsset] = []
    var missing: [String] = []
    for path in Set(paths).sorted() {
      guard var reference = references[path] else {
        missing.append("\(path): the submission does not say its digest and size")
        continue
      }
      let real = reference.path.flatMap(mediaRoots.resolve)
      if let real, AssetStore.size(real) == reference.byteCount {
        reference.path = real
        shared.append(
          SharedAsset(digest: reference.digest, path: real, byteCount: reference.byteCount))
      } else if assets.byteCount(of: reference.digest) == reference.byteCount {
        reference.path = nil
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
    return (located, shared)
  }

  private func output(_ request: Request) async throws -> Response {
    let id = try request.job
    let status = try await farm.status(of: id)
    guard let output = status.output else {
      throw HTTPError.wrongState("job '\(id)' is \(status.state.rawValue): there is no file yet")
    }
    let name = output.fileName.split(separator: ".").last ?? ""
    let type = FileType(rawValue: String(name)) ?? .mp4
    let path = directory.output(of: id.rawValue, type)
    return try await threads.run {
      var response = try Response.file(
        path: path, request: request,
        contentType: type.contentType(hasVideo: status.frameCount != 0),
        etag: output.sha256.description)
      response.headers["Content-Disposition"] = Self.disposition(output.fileName)
      return response
    }
  }

  /// RFC 6266: the name percent-encoded as UTF-8, which every browser understands.
  private static func disposition(_ name: String) -> String {
    let encoded = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "output"
    return "inline; filename*=UTF-8''\(encoded)"
  }
}

extension Request {
  /// The job that the path names.
  var job: JobID {
    get throws { JobID(rawValue: try parameter("id")) }
  }
}
