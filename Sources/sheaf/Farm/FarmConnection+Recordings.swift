import FarmAPI
import Foundation
import HTTP

/// Calls about recordings.
extension FarmConnection {
  /// Begins a recording.
  ///
  /// - Parameter key: the key that makes repeating the call safe.
  package func record(
    _ submission: RecordingSubmission, under key: IdempotencyKey
  ) async throws -> RecordingStatus {
    let body = try FarmCoding.encode(submission)
    return try await persist {
      try await client.send(
        ClientRequest(
          .post, url("/recordings"),
          headers: ["Content-Type": "application/json", IdempotencyKey.headerName: key.value],
          body: body))
    } reading: { response, _ in
      try read(response, of: submission.name)
    }
  }

  /// The latest recordings, the newest first.
  package func recordings() async throws -> [RecordingStatus] { try await get("/recordings") }

  /// A recording.
  ///
  /// - Parameter id: the whole id; see ``recording(matching:)``.
  package func recording(_ id: String) async throws -> RecordingStatus {
    try await get("/recordings/\(escape(id))")
  }

  /// The recording with an id, or with the only id that begins with a text.
  ///
  /// - Throws: ``CommandFailure``, also if there are several.
  package func recording(matching text: String) async throws -> RecordingStatus {
    let path = "/recordings/\(escape(text))"
    if !text.isEmpty, let recording: RecordingStatus = try await find(path) { return recording }
    let matches = text.isEmpty ? [] : try await recordings().filter { $0.id.hasPrefix(text) }
    guard matches.count > 1 else { return try await recording(matches.first?.id ?? text) }
    throw ambiguous(
      text, matches.map { "\($0.id) \($0.state.rawValue) \($0.name)" }, of: "recordings")
  }

  /// Ends a recording.
  package func stop(recording id: String) async throws -> RecordingStatus {
    let path = "/recordings/\(escape(id))/stop"
    return try await persist {
      try await client.send(ClientRequest(.post, url(path)))
    } reading: { response, _ in
      try read(response, of: path)
    }
  }

  /// Removes a recording that has ended, with its files.
  package func delete(recording id: String) async throws {
    let path = "/recordings/\(escape(id))"
    try await persist {
      try await client.send(ClientRequest(.delete, url(path)))
    } reading: { response, isRepeated in
      // An earlier attempt may already have deleted it.
      if isRepeated, response.status == .notFound { return }
      try check(response, of: path)
    }
  }
}
