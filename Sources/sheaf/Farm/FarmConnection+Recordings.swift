import FarmAPI
import Foundation
import HTTP

/// Calls about recordings.
extension FarmConnection {
  /// Starts a recording.
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

  /// The recording whose id is a text, or is the only one that begins with it.
  ///
  /// - Throws: ``CommandFailure``, also if several ids begin with the text.
  package func recording(matching text: String) async throws -> RecordingStatus {
    let path = "/recordings/\(escape(text))"
    if !text.isEmpty, let recording: RecordingStatus = try await find(path) { return recording }
    let matches = text.isEmpty ? [] : try await recordings().filter { $0.id.hasPrefix(text) }
    guard matches.count > 1 else { return try await recording(matches.first?.id ?? text) }
    throw ambiguous(
      text, matches.map { "\($0.id) \($0.state.rawValue) \($0.name)" }, of: "recordings")
  }

  /// Uploads a stream from standard input to a recording, until the stream or the recording ends.
  package func uploadStandardInput(to id: String) async throws {
    var offset: Int64 = 0
    while true {
      // If the input pauses, empty pieces show the coordinator that the stream continues.
      var piece = try await StandardInput.nextPiece(within: StreamUpload.patience / 6)
      repeat {
        guard let next = try await upload(piece, at: offset, to: id) else { return }
        piece.bytes = piece.bytes.dropFirst(
          Int(min(max(0, next - offset), Int64(piece.bytes.count))))
        offset = next
        try Task.checkCancellation()
      } while !piece.bytes.isEmpty
      if piece.isLast { return }
    }
  }

  /// Uploads a piece, and returns the offset of the next one; `nil` if the recording has ended.
  private func upload(
    _ piece: StandardInput.Piece, at offset: Int64, to id: String
  ) async throws -> Int64? {
    let path = "/recordings/\(escape(id))/stream"
    var headers: Headers = [
      "Content-Type": "application/octet-stream", StreamUpload.offsetHeader: "\(offset)",
    ]
    if piece.isLast { headers[StreamUpload.completeHeader] = StreamUpload.complete }
    let request = ClientRequest(.put, url(path), headers: headers, body: Data(piece.bytes))
    while true {
      let answer: UploadAnswer = try await persist {
        try await client.send(request)
      } reading: { response, _ in
        switch response.problem?.type {
        case ProblemType.wrongState.rawValue: return .ended
        case ProblemType.uploadInProgress.rawValue: return .busy
        default: break
        }
        try check(response, of: path)
        return .goesOn(
          at: response.headers[StreamUpload.offsetHeader].flatMap { Int64($0) } ?? offset)
      }
      switch answer {
      case .goesOn(let next): return next
      case .ended: return nil
      // The coordinator has not finished with earlier requests, although their responses may have arrived.
      case .busy: try await Task.sleep(for: Self.busyPause)
      }
    }
  }

  /// The coordinator's answer to a piece of a stream.
  private enum UploadAnswer {
    /// The stream continues at this offset.
    case goesOn(at: Int64)
    /// The recording has ended.
    case ended
    /// Too many other requests are uploading.
    case busy
  }

  /// The time until a piece is sent again that the coordinator could not take.
  private static let busyPause = Duration.milliseconds(100)

  /// Stops a recording.
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
