import Crypto
import FarmAPI
import Foundation
import HTTP

/// The worker's side of the farm protocol, one method a call; the loops above decide what follows.
package struct CoordinatorConnection: Sendable {
  /// The coordinator's base URL.
  package let base: String
  private let client: Client

  /// A connection to the coordinator at a base URL.
  package init(to base: String, client: Client) {
    self.base = base
    self.client = client
  }

  /// Makes the worker known.
  ///
  /// - Throws: ``CoordinatorError``.
  package func register(_ registration: WorkerRegistration) async throws -> WorkerWelcome {
    let response = try await send(.post, "/workers", json: registration)
    return try decode(WorkerWelcome.self, from: response, of: "/workers")
  }

  /// What a request for a lease yields.
  package enum LeaseAnswer: Hashable, Sendable {
    /// A segment to render.
    case lease(Lease)
    /// There was nothing to do in time.
    case none
    /// The coordinator does not know the worker; it must register again.
    case unknownWorker
  }

  /// Waits at the coordinator for a lease.
  ///
  /// - Throws: ``CoordinatorError``.
  package func lease(for worker: String, waitSeconds: Int = 30) async throws -> LeaseAnswer {
    let path = "/workers/\(worker)/leases?wait=\(waitSeconds)"
    let response = try await send(.post, path, timeout: .seconds(waitSeconds + 15))
    switch response.status {
    case .noContent: return .none
    case .notFound: return .unknownWorker
    default: return .lease(try decode(Lease.self, from: response, of: path))
    }
  }

  /// What a heartbeat yields.
  package enum HeartbeatOutcome: Hashable, Sendable {
    /// The lease holds.
    case renewed
    /// The chunk is not wanted any more.
    case stop
    /// The lease is not in force any more.
    case stale
  }

  /// Renews a lease and says how far its segment is.
  ///
  /// - Throws: ``CoordinatorError``.
  package func heartbeat(_ token: String, _ heartbeat: Heartbeat) async throws -> HeartbeatOutcome {
    let path = "/leases/\(token)"
    let response = try await send(.put, path, json: heartbeat, timeout: .seconds(10))
    if response.status == .conflict || response.status == .notFound { return .stale }
    return try decode(HeartbeatAnswer.self, from: response, of: path).stop ? .stop : .renewed
  }

  /// What the delivery of a chunk yields.
  package enum DeliveryOutcome: Hashable, Sendable {
    /// The coordinator has it.
    case accepted
    /// The lease is not in force any more; nobody wants the chunk.
    case stale
    /// The coordinator found fault with it.
    case refused(String)
  }

  /// Streams a chunk to the coordinator.
  ///
  /// - Throws: ``CoordinatorError``; one whose bytes changed on their way counts as the coordinator's being unavailable.
  package func deliver(
    chunkAt path: String, _ manifest: ChunkManifest, for token: String
  ) async throws -> DeliveryOutcome {
    let target = "/leases/\(token)/chunk"
    let header = String(decoding: try FarmCoding.encode(manifest), as: UTF8.self)
    let request = ClientRequest(
      .put, url(target),
      headers: [
        ChunkManifest.headerName: header, "Content-Type": "application/octet-stream",
      ], timeout: nil)
    let response = try await connected { try await client.upload(request, file: path) }
    switch response.status {
    case .conflict, .notFound: return .stale
    case .unprocessableContent where response.problem?.type == ProblemType.damagedChunk.rawValue:
      throw CoordinatorError.unavailable(response.problem?.detail ?? "the chunk arrived damaged")
    case .unprocessableContent, .badRequest, .contentTooLarge:
      return .refused(response.problem?.detail ?? "\(response.status.rawValue)")
    default:
      try check(response, of: target)
      return .accepted
    }
  }

  /// Tells why a segment could not be rendered; a stale lease is no error.
  ///
  /// - Throws: ``CoordinatorError``.
  package func report(_ failure: FailureReport, for token: String) async throws {
    let path = "/leases/\(token)/failure"
    let response = try await send(.post, path, json: failure)
    if response.status != .conflict && response.status != .notFound {
      try check(response, of: path)
    }
  }

  /// Gives a lease back, so that another worker has it at once.
  ///
  /// - Throws: ``CoordinatorError``.
  package func giveBack(_ token: String) async throws {
    _ = try await send(.delete, "/leases/\(token)", timeout: .seconds(1))
  }

  /// Where an asset's bytes are.
  package func assetURL(_ digest: Digest) -> String { url("/assets/\(digest)") }

  private func url(_ path: String) -> String { "\(base)/api/v1\(path)" }

  private func send(
    _ method: HTTP.Method, _ path: String, json value: (any Encodable & Sendable)? = nil,
    timeout: Duration = .seconds(30)
  ) async throws -> ClientResponse {
    var headers = Headers()
    if value != nil { headers["Content-Type"] = "application/json" }
    let body = try value.map { try FarmCoding.encode($0) }
    let request = ClientRequest(method, url(path), headers: headers, body: body, timeout: timeout)
    return try await connected { try await client.send(request) }
  }

  private func connected(
    _ transfer: () async throws -> ClientResponse
  ) async throws -> ClientResponse {
    let response: ClientResponse
    do {
      response = try await transfer()
    } catch let error as ClientError {
      // What is wrong on this side does not go away by asking again.
      let isOurs = [.localFile, .invalidRequest, .invalidURL].contains(error.code)
      throw isOurs
        ? CoordinatorError.refused(error.message) : CoordinatorError.unavailable(error.message)
    }
    if response.status.isPassing {
      let detail = response.problem?.detail ?? "status \(response.status.rawValue)"
      throw CoordinatorError.unavailable("the coordinator cannot answer: \(base): \(detail)")
    }
    return response
  }

  private func check(_ response: ClientResponse, of path: String) throws(CoordinatorError) {
    guard (200..<300).contains(response.status.rawValue) else {
      let detail = response.problem?.detail ?? "status \(response.status.rawValue)"
      throw .refused("the coordinator refused: \(path): \(detail)")
    }
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type, from response: ClientResponse, of path: String
  ) throws(CoordinatorError) -> Value {
    try check(response, of: path)
    do {
      return try FarmCoding.decode(type, from: response.body)
    } catch {
      throw .refused("cannot read the coordinator's answer: \(path): are the versions the same?")
    }
  }
}
