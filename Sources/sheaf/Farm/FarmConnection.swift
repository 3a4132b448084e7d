import Crypto
import FarmAPI
import Foundation
import HTTP

/// The user's side of the farm protocol, one method a call; every failure is a ``CommandFailure``.
package struct FarmConnection: Sendable {
  /// The coordinator's base URL.
  package let base: String
  private let client: Client

  /// A connection to a coordinator.
  package init(to base: String, with credentials: Credentials = Credentials()) {
    self.base = base
    client = Client(userAgent: "sheaf", credentials: credentials, connectTimeout: .seconds(5))
  }

  /// The connection that the arguments and the environment ask for.
  package init(_ arguments: ParsedArguments) throws {
    self.init(to: try CoordinatorAddress(arguments).url, with: try Credentials(arguments))
  }

  /// The options that name the coordinator and what to show it.
  package static let options = [CoordinatorAddress.option.declaration] + Credentials.options

  /// Every job that the coordinator knows.
  package func jobs() async throws -> [JobStatus] { try await get("/jobs") }

  /// A job.
  package func job(_ id: String) async throws -> JobStatus { try await get("/jobs/\(escape(id))") }

  /// A job's segments in order.
  package func segments(of id: String) async throws -> [SegmentStatus] {
    try await get("/jobs/\(escape(id))/segments")
  }

  /// The workers that the coordinator knows.
  package func workers() async throws -> [WorkerStatus] { try await get("/workers") }

  /// Calls a job off.
  package func cancel(_ id: String) async throws -> JobStatus {
    let path = "/jobs/\(escape(id))/cancel"
    return try await read(send(ClientRequest(.post, url(path))), of: path)
  }

  /// Submits a project whose assets are with the coordinator.
  package func submit(_ submission: JobSubmission) async throws -> JobStatus {
    let request = ClientRequest(
      .post, url("/jobs"), headers: ["Content-Type": "application/json"],
      body: try FarmCoding.encode(submission), timeout: .seconds(120))
    return try await read(send(request), of: submission.name)
  }

  /// How much of an asset the coordinator has: `nil` for all of it.
  package func uploaded(_ digest: Digest) async throws -> Int64? {
    let path = "/assets/\(digest)"
    let response = try await send(ClientRequest(.head, url(path)))
    if response.status == .notFound { return Self.offset(response) ?? 0 }
    try check(response, of: path)
    return nil
  }

  /// What an upload of an asset yields.
  package enum UploadOutcome: Hashable, Sendable {
    /// The coordinator has all of it.
    case complete
    /// The coordinator expects the bytes from here on.
    case goOn(from: Int64)
  }

  /// Streams an asset's bytes from an offset on.
  ///
  /// - Parameter progress: is told how many bytes of the asset are there.
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
    let response = try await connected {
      try await client.upload(request, file: path, offset: offset) { progress(offset + $0) }
    }
    if response.status == .conflict, let expected = Self.offset(response) {
      return .goOn(from: expected)
    }
    try check(response, of: path)
    return .complete
  }

  /// Saves a job's finished file, going on from `offset` where the coordinator does.
  ///
  /// - Parameter progress: is told how many bytes of the file are there.
  package func download(
    outputOf id: String, to path: String, from offset: Int64,
    progress: @escaping @Sendable (Int64) -> Void
  ) async throws {
    let target = "/jobs/\(escape(id))/output"
    let response = try await connected {
      try await client.download(
        ClientRequest(.get, url(target), timeout: nil), to: path, from: offset, progress: progress)
    }
    try check(response, of: id)
  }

  /// A job's states as they change, ending after its final one or when the connection is lost.
  package func events(of id: String) -> AsyncThrowingStream<ServerSentEvent, any Error> {
    client.events(ClientRequest(.get, url("/jobs/\(escape(id))/events"), timeout: nil))
  }

  /// The failure that an error of the HTTP client means.
  package func failure(_ error: ClientError) -> CommandFailure {
    switch error.code {
    case .localFile: CommandFailure(.failed, lines: [error.message])
    case .secureConnectionFailed:
      CommandFailure(
        .coordinatorUnreachable, "no trusted connection to the coordinator", on: error.message,
        remedy: "name its authority's certificate with --ca-file")
    default:
      CommandFailure(
        .coordinatorUnreachable, "cannot reach the coordinator", on: base,
        remedy: "start `sheaf-coordinator serve`, or name another with --coordinator")
    }
  }

  private func url(_ path: String) -> String { "\(base)/api/v1\(path)" }

  private func escape(_ id: String) -> String {
    var allowed = CharacterSet.alphanumerics
    allowed.insert(charactersIn: "-_.~")
    return id.addingPercentEncoding(withAllowedCharacters: allowed) ?? id
  }

  private static func offset(_ response: ClientResponse) -> Int64? {
    response.headers["Upload-Offset"].flatMap { Int64($0) }
  }

  private func get<Value: Decodable>(_ path: String) async throws -> Value {
    try await read(send(ClientRequest(.get, url(path))), of: path)
  }

  private func send(_ request: ClientRequest) async throws -> ClientResponse {
    try await connected { try await client.send(request) }
  }

  private func connected(
    _ transfer: () async throws -> ClientResponse
  ) async throws -> ClientResponse {
    do {
      return try await transfer()
    } catch let error as ClientError {
      throw failure(error)
    }
  }

  private func check(_ response: ClientResponse, of subject: String) throws(CommandFailure) {
    guard !response.status.isSuccess else { return }
    let problem = response.problem
    let detail = problem?.detail ?? "\(response.status)"
    if problem?.type == ProblemType.invalidProject.rawValue {
      throw .invalidProject(detail.split(separator: "\n").map(String.init))
    }
    if response.status == .unauthorized {
      throw CommandFailure(
        .failed, "the coordinator refused", on: subject,
        remedy: "\(detail) (--token-file FILE, or SHEAF_TOKEN)")
    }
    throw CommandFailure(.failed, "the coordinator refused", on: subject, remedy: detail)
  }

  private func read<Value: Decodable>(
    _ response: ClientResponse, of subject: String
  ) throws(CommandFailure) -> Value {
    try check(response, of: subject)
    do {
      return try FarmCoding.decode(Value.self, from: response.body)
    } catch {
      throw CommandFailure(
        .failed, "cannot read the coordinator's answer", on: subject,
        remedy: "install the same version of sheaf and sheaf-coordinator")
    }
  }
}
