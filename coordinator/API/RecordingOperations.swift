import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Timeline

extension Services {
  /// The routes of recordings.
  var recordingOperations: [Operation] {
    [
      Operation(.post, "/api/v1/recordings", "Record a live source", for: .submitters) {
        request, caller in
        let submission = try request.wire(RecordingSubmission.self)
        if let refusal = recordingSources.refusal(of: submission.source) {
          throw HTTPError(
            .unprocessableContent, type: ProblemType.sourceNotAllowed.rawValue, detail: refusal)
        }
        guard !submission.name.isEmpty, submission.name.utf8.count <= 200,
          submission.length.map({ $0 > .zero }) ?? true,
          submission.byteLimit.map({ $0 > 0 }) ?? true
        else {
          throw HTTPError(
            .badRequest, type: ProblemType.malformedRequest.rawValue,
            detail: "a recording's name must have 1 to 200 bytes, and its limits must be positive")
        }
        let shortest = RecordingSubmission.shortestSplit
        guard submission.splitLength.map({ $0 >= RationalTime(shortest) }) ?? true else {
          throw HTTPError(
            .badRequest, type: ProblemType.malformedRequest.rawValue,
            detail: "a recording can be split into files of at least \(shortest) s: use a longer "
              + "splitLength")
        }
        if let problem = submission.encoding?.problem
          ?? submission.capture?.problem(with: submission.source)
        {
          throw HTTPError(
            .badRequest, type: ProblemType.malformedRequest.rawValue, detail: problem)
        }
        guard submission.passphrase == nil || submission.source.transport.takesPassphrase else {
          throw HTTPError(
            .badRequest, type: ProblemType.malformedRequest.rawValue,
            detail: "only sources over SRT, RTMP or RTSP have a passphrase: leave it out for "
              + "\(submission.source)")
        }
        guard submission.passphrase?.suits(submission.source.transport) ?? true else {
          throw HTTPError(
            .badRequest, type: ProblemType.malformedRequest.rawValue,
            detail: RecordingPassphrase.rule(for: submission.source.transport))
        }
        let (status, isNew) = try await farm.accept(
          submission, under: Self.key(in: request.headers), by: caller)
        if isNew { try await recorder.begin(status) }
        return try .wire(
          status, status: isNew ? .created : .ok,
          headers: ["Location": "/api/v1/recordings/\(status.id)"])
      }
      .taking(
        .json(.recordingSubmission),
        Operation.Parameter(
          name: IdempotencyKey.headerName, place: "header",
          summary: "1 to 128 visible characters; the same key and body return the same recording",
          schema: ["type": "string", "pattern": .string(IdempotencyKey.pattern)], isRequired: false)
      )
      .answering(
        .created, "The recording", .json(.recordingStatus),
        headers: ["Location": ["type": "string"]]
      )
      .answering(
        .ok, "The recording that was already begun under the key", .json(.recordingStatus)
      )
      .refusing(.unprocessableContent, .keyReused)
      .refusing(.unprocessableContent, .sourceNotAllowed)
      .refusing(.tooManyRequests, .limitReached),

      Operation(
        .get, "/api/v1/recordings", "List the latest 1,000 recordings, newest first",
        for: .readers
      ) { _, caller in
        try await listing.run(for: caller.name) {
          try .wire(try await farm.recordings(for: caller))
        }
      }
      .answering(.ok, "The recordings", .list(.recordingStatus)),

      Operation(.get, "/api/v1/recordings/{id}", "Get a recording", for: .readers) {
        request, caller in
        try .wire(try await farm.recording(request.parameter("id"), for: caller))
      }
      .answering(.ok, "The recording", .json(.recordingStatus)).refusing(.notFound, .notFound),

      Operation(
        .post, "/api/v1/recordings/{id}/stop",
        "Stop a recording and create its files, also if it failed before they were created",
        for: .submitters
      ) { request, caller in
        let id = try request.parameter("id")
        if let status = try await farm.beginEnd(ofRecording: id, for: caller) {
          try await recorder.stop(status)
        }
        return try .wire(try await farm.recording(id, for: caller))
      }
      .answering(.ok, "The recording, which ends soon", .json(.recordingStatus))
      .refusing(.notFound, .notFound),

      Operation(
        .put, "/api/v1/recordings/{id}/stream",
        "Upload the next piece of the stream of a recording whose source is `upload`",
        for: .submitters,
        open: { head, caller in try await openPiece(head, for: caller) },
        { _, _, piece in try await take(piece) }
      )
      .taking(
        .octets,
        Operation.Parameter(
          name: StreamUpload.offsetHeader, place: "header",
          summary: "The offset of the first byte in the stream",
          schema: SchemaDecoder.count(from: 0, to: StreamPiece.largestOffset)),
        Operation.Parameter(
          name: StreamUpload.completeHeader, place: "header",
          summary: "`true` if the stream ends with this piece",
          schema: ["type": "string", "enum": [.string(StreamUpload.complete)]], isRequired: false)
      )
      .answering(
        .noContent, "The stream continues at `Upload-Offset`",
        headers: [StreamUpload.offsetHeader: SchemaDecoder.count(from: 0)]
      )
      .refusing(.notFound, .notFound).refusing(.conflict, .wrongState)
      .refusing(.conflict, .uploadOffset).refusing(.conflict, .uploadInProgress)
      .refusing(.contentTooLarge, .tooLarge),

      Operation(
        .get, "/api/v1/recordings/{id}/outputs/{number}",
        "Download a finished file of a recording, or a range of it", for: .readers
      ) { request, caller in
        try await recordingOutput(request, for: caller)
      }
      .answering(.ok, "The file", .media)
      .answering(.partialContent, "The range", .media)
      .passingFiles
      .refusing(.notFound, .notFound),

      Operation(
        .delete, "/api/v1/recordings/{id}", "Delete a recording that has ended, with its files",
        for: .submitters
      ) { request, caller in
        let status = try await farm.recording(request.parameter("id"), for: caller)
        guard status.state.isFinal else {
          throw FarmError(
            .wrongState,
            "the state of recording '\(status.id)' is \(status.state.rawValue): stop it, and delete it "
              + "once it has ended")
        }
        try await recorder.delete(status.id)
        return Response(.noContent)
      }
      .answering(.noContent, "The recording is deleted").refusing(.notFound, .notFound)
      .refusing(.conflict, .wrongState),
    ]
  }

  /// Checks a finished file of a recording, and sends it.
  private func recordingOutput(_ request: Request, for caller: Caller) async throws -> Response {
    let status = try await farm.recording(request.parameter("id"), for: caller)
    let text = try request.parameter("number")
    guard let number = Int(text), status.outputs.indices.contains(number) else {
      throw FarmError(
        .notFound,
        "recording '\(status.id)' has no file '\(text)': its state is \(status.state.rawValue): once "
          + "it has ended, `outputs` lists its files"
      )
    }
    let output = status.outputs[number]
    let stored = StoredObject.output(number, ofRecording: status.id)
    let checked = try await recordedChecks.check(
      stored, output.sha256, for: caller.name, within: nil)
    if let problem = checked?.problem {
      throw HTTPError(
        .internalServerError, type: ProblemType.unavailable.rawValue,
        detail: "the file of recording '\(status.id)' \(problem)")
    }
    return try await threads.run { [outputs] in
      guard let path = try outputs.localPath(of: stored) else {
        throw FarmError(.notFound, "the file of recording '\(status.id)' is missing")
      }
      var response = try Response.file(
        path: path, request: request, contentType: "video/mp4", etag: output.sha256.description)
      response.headers["Content-Disposition"] = Self.disposition(output.fileName)
      return Self.passing(response, of: stored, output.sha256, in: outputs, to: request)
    }
  }
}
