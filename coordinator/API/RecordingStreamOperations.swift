import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Recording

extension Services {
  /// The routes with which players follow a recording while it grows.
  var recordingStreamOperations: [Operation] {
    [
      Operation(
        .get, "/api/v1/recordings/{id}/stream.m3u8",
        "Get the playlist of a recording, which grows while it is recorded (HTTP Live Streaming)",
        for: .readers
      ) { request, caller in
        try await playlist(request, for: caller) { _ in
          let status = try await farm.recording(request.parameter("id"), for: caller)
          // Read after the state: a recording that has ended has no more fragments.
          let entries = try await farm.fragments(ofRecording: status.id).map {
            EventPlaylist.Entry(part: $0.part, fragment: $0.fragment)
          }
          return EventPlaylist(entries, hasEnded: status.state.isFinal)
        }
      }
      .with(Self.pieceWait)
      .answering(.ok, "The playlist", .text(EventPlaylist.mediaType))
      .refusing(.notFound, .notFound),

      Operation(
        .get, "/api/v1/recordings/{id}/parts/{part}/{file}",
        "Download the header or a fragment of a part of a recording, as named in its playlist",
        for: .readers
      ) { request, caller in
        try await recordedFile(request, for: caller)
      }
      .sending("The header or the fragment", .bytes(["video/mp4"])).refusing(.notFound, .notFound),
    ]
  }

  /// Sends a file of a part. Checks a fragment first.
  private func recordedFile(_ request: Request, for caller: Caller) async throws -> Response {
    let status = try await farm.recording(request.parameter("id"), for: caller)
    let (part, file) = (try request.parameter("part"), try request.parameter("file"))
    guard let part = status.parts.first(where: { "\($0.number)" == part }) else {
      throw FarmError(
        .notFound, "recording '\(status.id)' has no part '\(part)': `parts` lists them")
    }
    let stored = StoredObject(.recording, named: "\(status.id)/\(part.folderName)/\(file)")
    var etag: String?
    if file != RecordedFragment.headerName {
      guard let number = RecordedFragment.number(ofFile: file),
        let fragment = try await farm.fragment(
          number, ofPart: part.number, ofRecording: status.id)
      else {
        throw FarmError(
          .notFound,
          "part \(part.number) of recording '\(status.id)' has no file '\(file)': the playlist "
            + "lists them")
      }
      let checked = try await fragmentChecks.check(
        stored, fragment.sha256, for: caller.name, within: nil)
      if let problem = checked?.problem {
        throw HTTPError(
          .internalServerError, type: ProblemType.unavailable.rawValue,
          detail: "fragment \(number) of recording '\(status.id)' \(problem)")
      }
      etag = fragment.sha256.description
    }
    return try await threads.run { [outputs, etag] in
      guard let path = try outputs.localPath(of: stored) else {
        throw FarmError(.notFound, "the file '\(file)' of recording '\(status.id)' is missing")
      }
      return try Response.file(path: path, request: request, contentType: "video/mp4", etag: etag)
    }
  }
}
