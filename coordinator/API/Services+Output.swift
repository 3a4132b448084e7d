import Crypto
import FarmAPI
import Foundation
import HTTP
import Processes
import Scheduling
import Threads
import Timeline

extension Services {
  /// Sends a job's finished file, or a range of it, after checking that the file is sound.
  func output(_ request: Request, for caller: Caller) async throws -> Response {
    let id = try request.job
    let status = try await farm.status(of: id, for: caller)
    guard let output = try await farm.output(of: id) else {
      if let deletion = status.outputDeletion {
        throw FarmError(
          .outputDeleted, "job '\(id)': \(deletion.sentence): submit the project again")
      }
      throw FarmError(
        .wrongState, "job '\(id)' is \(status.state.rawValue): it has no finished file")
    }
    let name = output.fileName.split(separator: ".").last ?? ""
    let type = FileType(rawValue: String(name)) ?? .mp4
    let stored = StoredObject.output(of: id.rawValue, type)
    let wait = request.headers.preferredWait.map { min($0, Self.longestCheckWait) }
    try await assureSound(stored, output.sha256, of: id, for: caller, within: wait)
    return try await threads.run { [outputs, downloads = farm.outputDownloads] in
      guard let path = try outputs.localPath(of: stored) else {
        throw FarmError(.wrongState, "the finished file of job '\(id)' is missing")
      }
      var response = try Response.file(
        path: path, request: request,
        contentType: type.contentType(hasVideo: status.frameCount != 0),
        etag: output.sha256.description)
      response.headers["Content-Disposition"] = Self.disposition(output.fileName)
      downloads.note(response, of: id)
      return Self.passing(response, of: stored, output.sha256, in: outputs, to: request)
    }
  }

  /// The maximum time that a request can ask to wait for the check of a finished file.
  static let longestCheckWait = Duration.seconds(30)

  /// Fails the job if its finished file is damaged or missing, so that the file is never delivered. If a lost file is
  /// sound again, the job becomes completed again.
  ///
  /// - Parameter wait: how long to wait for the check; `nil` to wait until it is done.
  private func assureSound(
    _ output: StoredObject, _ sha256: Digest, of id: JobID, for caller: Caller,
    within wait: Duration?
  ) async throws {
    let checked = try await outputChecks.check(output, sha256, for: caller.name, within: wait)
    guard let verdict = checked else {
      throw HTTPError(
        .serviceUnavailable, type: ProblemType.outputCheck.rawValue,
        detail: "the finished file of job '\(id)' is being checked before it is sent",
        headers: ["Retry-After": "1"],
        members: [ProblemType.bytesReadMember: "\(outputChecks.bytesRead)"])
    }
    guard let problem = verdict.problem else {
      guard try await farm.recoverOutput(of: id, sha256) else {
        throw FarmError(
          .wrongState,
          "the finished file of job '\(id)' was lost: to create it again, retry the job with "
            + "POST /api/v1/jobs/\(id)/retry")
      }
      return
    }
    if try await farm.loseOutput(of: id, sha256, because: problem) {
      try await BlockingThread.run(named: "output") { [outputs] in
        outputs.setAside(output, sha256, after: verdict)
      }
    }
    throw FarmError(
      .wrongState,
      "the finished file of job '\(id)' \(problem): to create it again, retry the job with "
        + "POST /api/v1/jobs/\(id)/retry")
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

extension Services {
  /// Passes the file of a response to a client on this host that takes it, and returns the response without content.
  /// Returns `response` if the file has to be sent.
  ///
  /// - Parameter digest: the SHA-256 of the stored file. Only the very file that was found to match it is passed.
  static func passing(
    _ response: Response, of stored: StoredObject, _ digest: Digest, in outputs: OutputStore,
    to request: Request
  ) -> Response {
    guard let socket = request.headers[PassedFile.headerName], request.method == .get,
      LoopbackAddress.isNumeric(request.peer), let file = response.body.file,
      outputs.isKnownSound(stored, digest, openAs: file.descriptor),
      FilePassage.pass(file.descriptor, to: socket, note: digest.description)
    else { return response }
    return Response(.noContent, headers: ["ETag": "\"\(digest)\""])
  }
}

extension Operation {
  /// Adds the header with which a client on this host asks for a file, and the answer.
  var passingFiles: Operation {
    with(
      Parameter(
        name: PassedFile.headerName, place: "header",
        summary: "The name of a socket on which a client on the coordinator's host takes the file",
        isRequired: false)
    )
    .answering(
      .noContent, "The file was passed to the client on the coordinator's host",
      headers: ["ETag": ["type": "string"]])
  }
}
