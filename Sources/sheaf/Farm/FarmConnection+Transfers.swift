import Crypto
import FarmAPI
import Foundation
import HTTP
import Processes

extension FarmConnection {
  /// The number of bytes of an asset that the coordinator has; `nil` if it has all of them.
  package func uploaded(_ digest: Digest) async throws -> Int64? {
    let path = "/assets/\(digest)"
    return try await persist {
      try await client.send(ClientRequest(.head, url(path)))
    } reading: { response, _ in
      if response.status == .notFound { return Self.offset(response) ?? 0 }
      try check(response, of: path)
      return nil
    }
  }

  package enum UploadOutcome: Hashable, Sendable {
    /// The coordinator has all of it.
    case complete
    /// The coordinator expects the upload to continue at this offset.
    case goOn(from: Int64)
    /// Another client is uploading it.
    case underWay
    /// The coordinator received damaged headers, or damaged bytes, which it has dropped.
    case damaged
  }

  /// Streams an asset's bytes from an offset to the end, without retries.
  ///
  /// - Parameter progress: called with the number of bytes that the coordinator has.
  /// - Throws: ``TransientFailure`` if the upload can be continued, and ``CommandFailure`` otherwise.
  package func upload(
    _ path: String, as asset: AssetReference, from offset: Int64,
    progress: @escaping @Sendable (Int64) -> Void
  ) async throws -> UploadOutcome {
    let request = ClientRequest(
      .put, url("/assets/\(asset.digest)"),
      headers: [
        "Upload-Offset": "\(offset)", "Upload-Length": "\(asset.byteCount)",
        "Content-Type": "application/octet-stream",
      ], timeout: nil)
    let response: ClientResponse
    do {
      response = try await client.upload(request, file: path, offset: offset) {
        progress(offset + $0)
      }
    } catch let error as ClientError {
      if let transient = TransientFailure(error) { throw transient }
      throw failure(error)
    }
    if let transient = TransientFailure(response) { throw transient }
    contact.answered()
    switch (response.status, response.problem?.type) {
    case (.created, _): return .complete
    case (.conflict, ProblemType.uploadInProgress.rawValue): return .underWay
    case (.unprocessableContent, ProblemType.digestMismatch.rawValue): return .damaged
    // The headers were valid when they were sent, so they changed on the way.
    case (.badRequest, ProblemType.malformedRequest.rawValue): return .damaged
    case (.conflict, _), (.accepted, _):
      if let expected = Self.offset(response) { return .goOn(from: expected) }
    default: break
    }
    try check(response, of: path)
    throw TransientFailure(reason: "unexpected response to the upload: \(response.status)")
  }

  /// The number of seconds that the coordinator may check a file before it answers. The client and proxies need longer to
  /// consider the connection stalled.
  private static let checkWait = 20

  /// How a finished file was saved.
  package enum Saving: Hashable, Sendable {
    /// Its bytes have to be compared with the digest.
    case unchecked
    /// It was copied from the coordinator's file, which was read back from the disk within the last hour.
    case checked
  }

  /// Saves a finished file, continuing a partial download, or copies it if the coordinator's address is a loopback address
  /// and it runs as the same user. Waits as long as the coordinator is checking the file.
  ///
  /// - Parameters:
  ///   - file: the coordinator's description of the file.
  ///   - location: its path under the API's root.
  ///   - id: the job or the recording that it belongs to, for messages.
  ///   - received: called with the number of bytes that have arrived.
  package func download(
    _ file: OutputFile, at location: String, of id: String, to path: String,
    received: @escaping @Sendable (Int64) -> Void
  ) async throws -> Saving {
    let target = url(location)
    let tag = "\"\(file.sha256)\""
    var passage = servers.areLoopback ? try? FilePassage() : nil
    var perseverance = perseverance
    var furthest: Int64 = -1
    var progress: String?
    while true {
      let offset = FileSize.of(path)
      if offset > furthest { perseverance.succeeded() }
      furthest = max(furthest, offset)
      do {
        var headers: Headers = ["Prefer": "wait=\(Self.checkWait)"]
        if offset > 0 { headers["If-Range"] = tag }
        headers[PassedFile.headerName] = passage?.name
        let response = try await client.download(
          ClientRequest(.get, target, headers: headers, timeout: nil), to: path, from: offset,
          progress: received)
        if response.status == .noContent, let used = passage {
          contact.answered()
          passage = nil
          guard response.headers["ETag"] == tag,
            let source = used.take(file.sha256.description),
            let copy = LocalCopy(of: source, byteCount: file.byteCount),
            try await copy.copy(to: path, copied: received)
          else { continue }
          return copy.isRecent ? .checked : .unchecked
        }
        if let transient = TransientFailure(response, hasBody: false) { throw transient }
        try check(response, of: id)
        contact.answered()
        guard response.status != .noContent else {
          throw TransientFailure(reason: "the response has no content")
        }
        guard response.headers["ETag"] == tag else {
          unlink(path)
          throw TransientFailure(reason: "the response contains a different file")
        }
        return .unchecked
      } catch let error as ClientError {
        guard let transient = TransientFailure(error) else { throw failure(error) }
        try await wait(after: transient, &perseverance)
      } catch let transient as TransientFailure {
        guard let next = transient.progress, next != progress else {
          try await wait(after: transient, &perseverance)
          continue
        }
        progress = next
        contact.works(transient.reason)
        try await perseverance.waitForProgress()
      }
    }
  }

  private static func offset(_ response: ClientResponse) -> Int64? {
    response.headers["Upload-Offset"].flatMap { Int64($0) }
  }
}
