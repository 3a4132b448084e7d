import Crypto
import FarmAPI
import Foundation
import HTTP
import Threads

/// The worker's side of the farm protocol, with one method per call.
package struct CoordinatorConnection: Sendable {
  private let client: Client
  private let refusals: TokenRefusals
  private let contact = FirstContact()
  /// The farm's object store, if it has one.
  let store: ObjectStore

  /// A connection to the coordinators of a farm, which all answer every call.
  ///
  /// - Parameters:
  ///   - client: a client of the coordinators' addresses.
  ///   - store: the farm's object store, if it has one.
  ///   - refusals: tracks how long the coordinator has refused the token.
  package init(
    client: Client, store: ObjectStore = ObjectStore(),
    refusals: TokenRefusals = TokenRefusals(patience: Configuration.defaultTokenPatience)
  ) {
    self.store = store
    self.client = client
    self.refusals = refusals
  }

  /// The coordinators' addresses.
  package var servers: ServerAddresses { client.servers }

  /// Registers the worker.
  ///
  /// - Throws: ``CoordinatorError``.
  package func register(_ registration: WorkerRegistration) async throws -> WorkerWelcome {
    switch try await send(.post, "/workers", json: registration) {
    case .success(let response):
      let welcome = try decode(WorkerWelcome.self, from: response)
      store.offer(welcome.hasObjectStore == true)
      return welcome
    case let answer: throw unavailable(answer)
    }
  }

  /// The outcome of a request for a lease.
  package enum LeaseAnswer: Hashable, Sendable {
    /// A segment to render.
    case lease(Lease)
    /// No work became available in time.
    case none
    /// The coordinator does not know the worker; it must register again.
    case unknownWorker
  }

  /// Waits at the coordinator for a lease.
  ///
  /// - Throws: ``CoordinatorError``.
  package func lease(for worker: String, waitSeconds: Int = 30) async throws -> LeaseAnswer {
    let path = "/workers/\(worker)/leases?wait=\(waitSeconds)"
    switch try await send(.post, path, timeout: .seconds(waitSeconds + 15)) {
    case .success(let response) where response.status == .noContent:
      refusals.accepted()
      return .none
    case .success(let response):
      do {
        return .lease(try decode(Lease.self, from: response))
      } catch {
        // A lease that arrived damaged is still valid. If its token can be read, it is given back so that another
        // worker can have it at once.
        if let lease = try? FarmCoding.decode(Lease.self, from: response.body) {
          try? await giveBack(lease.token)
        }
        throw error
      }
    case .refusal(.notFound, _): return .unknownWorker
    case let answer: throw unavailable(answer)
    }
  }

  package enum HeartbeatOutcome: Hashable, Sendable {
    /// The lease was renewed.
    case renewed
    /// The chunk is no longer needed.
    case stop
    /// The lease is no longer valid.
    case stale
  }

  /// Renews a lease and reports the progress of its segment.
  ///
  /// - Throws: ``CoordinatorError``.
  package func heartbeat(_ token: String, _ heartbeat: Heartbeat) async throws -> HeartbeatOutcome {
    switch try await send(.put, "/leases/\(token)", json: heartbeat, timeout: .seconds(10)) {
    case .success(let response):
      return try decode(HeartbeatAnswer.self, from: response).stop ? .stop : .renewed
    case .refusal(.staleLease, _), .refusal(.notFound, _): return .stale
    case let answer: throw unavailable(answer)
    }
  }

  /// How long the coordinator may take to make a chunk its own that was left for it.
  private static let longestCopy = Duration.seconds(600)

  package enum DeliveryOutcome: Hashable, Sendable {
    /// The coordinator has it.
    case accepted
    /// The lease has lapsed, so the chunk is not needed.
    case stale
    /// The coordinator rejected the chunk, with its message.
    case refused(String)
    /// The coordinator does not see the chunk where it was left, so the chunk has to be sent.
    case unseen
  }

  /// Uploads a chunk to the farm's object store.
  ///
  /// - Parameter name: the name under which it is uploaded and delivered.
  /// - Returns: whether it was uploaded; otherwise, it has to be sent.
  /// - Throws: ``CoordinatorError``.
  func store(
    chunkAt path: String, _ manifest: ChunkManifest, as name: String, under token: String
  ) async throws -> Bool {
    try await store.upload(chunkAt: path, manifest, as: name) { delivery in
      switch try await send(.post, "/leases/\(token)/link", json: delivery) {
      case .success(let response): try decode(StorageLink.self, from: response)
      // If the lease has ended, the answer to the chunk says so.
      case .refusal: nil
      case let answer: throw unavailable(answer)
      }
    }
  }

  /// Delivers a chunk that is in the coordinator's folder for chunks or in the object store, under a name.
  ///
  /// - Throws: ``CoordinatorError``.
  package func deliver(
    chunkNamed name: String, _ manifest: ChunkManifest, for token: String
  ) async throws -> DeliveryOutcome {
    try await deliver(manifest, for: token, with: [ChunkFolder.fileHeaderName: name]) { request in
      var request = request
      request.body = Data()
      // The coordinator may have to copy a large chunk.
      request.timeout = Self.longestCopy
      return try await client.send(request)
    }
  }

  /// Streams a chunk to the coordinator.
  ///
  /// - Throws: ``CoordinatorError``. ``CoordinatorError/unavailable(_:)`` also means that the chunk arrived damaged.
  package func deliver(
    chunkAt path: String, _ manifest: ChunkManifest, for token: String
  ) async throws -> DeliveryOutcome {
    try await deliver(manifest, for: token, with: [:]) {
      try await client.upload($0, file: path)
    }
  }

  private func deliver(
    _ manifest: ChunkManifest, for token: String, with fields: [String: String],
    by transfer: (ClientRequest) async throws -> ClientResponse
  ) async throws -> DeliveryOutcome {
    let target = "/leases/\(token)/chunk"
    var headers = Headers(try manifest.headers().merging(fields) { _, field in field })
    headers["Content-Type"] = "application/octet-stream"
    let request = ClientRequest(.put, url(target), headers: headers, timeout: nil)
    switch try await answer({ try await transfer(request) }) {
    case .success(let response):
      guard try decode(ChunkReceipt.self, from: response).sha256 == manifest.sha256 else {
        throw CoordinatorError.unavailable("\(base(of: response)) confirmed a different chunk")
      }
      return .accepted
    case .refusal(.staleLease, _), .refusal(.notFound, _): return .stale
    case .refusal(.invalidChunk, let detail), .refusal(.malformedRequest, let detail),
      .refusal(.tooLarge, let detail):
      return .refused(detail)
    case .refusal(.missingChunkFile, _): return .unseen
    case .refusal(.damagedChunk, let detail), .passing(let detail):
      throw CoordinatorError.unavailable(detail)
    case .refusal(_, let detail), .unauthorized(let detail):
      throw CoordinatorError.refused("the coordinator refused the chunk: \(detail)")
    }
  }

  /// Reports why a segment could not be rendered. A stale lease is not an error.
  ///
  /// - Throws: ``CoordinatorError``.
  package func report(_ failure: FailureReport, for token: String) async throws {
    // The coordinator refuses bodies that are much longer.
    switch try await send(.post, "/leases/\(token)/failure", json: failure.shortened) {
    case .success(let response): try expectNoContent(response)
    case .refusal(.staleLease, _), .refusal(.notFound, _): return
    case .refusal(_, let detail):
      throw CoordinatorError.refused("the coordinator refused the failure report: \(detail)")
    case let answer: throw unavailable(answer)
    }
  }

  /// Gives a lease back, so that another worker can have the segment at once.
  ///
  /// - Throws: ``CoordinatorError``.
  package func giveBack(_ token: String) async throws {
    switch try await send(.delete, "/leases/\(token)", timeout: .seconds(1)) {
    case .success(let response): try expectNoContent(response)
    case .refusal(.staleLease, _), .refusal(.notFound, _): return
    case let answer: throw unavailable(answer)
    }
  }

  /// The URL of an asset's bytes, which follows a coordinator's address.
  package func assetURL(_ digest: Digest) -> String { url("/assets/\(digest)") }

  /// The URL of an asset's block digests, which follows a coordinator's address.
  package func blocksURL(_ digest: Digest) -> String { url("/assets/\(digest)/blocks") }

  private func url(_ path: String) -> String { "/api/v1\(path)" }

  /// The address of the coordinator that answered.
  private func base(of response: ClientResponse) -> String { servers.address(in: response.url) }

  private func send(
    _ method: HTTP.Method, _ path: String, json value: (any Encodable & Sendable)? = nil,
    timeout: Duration = .seconds(30)
  ) async throws -> CoordinatorAnswer {
    var headers = Headers()
    if value != nil { headers["Content-Type"] = "application/json" }
    let body = try value.map { try FarmCoding.encode($0) }
    headers[ContentDigest.headerName] = body.map(ContentDigest.value)
    let request = ClientRequest(method, url(path), headers: headers, body: body, timeout: timeout)
    return try await answer { try await client.send(request) }
  }

  /// The coordinator's answer to a request.
  ///
  /// - Throws: ``CoordinatorError``, also if something other than the coordinator answered.
  private func answer(
    _ transfer: () async throws -> ClientResponse
  ) async throws -> CoordinatorAnswer {
    let response: ClientResponse
    do {
      response = try await transfer()
    } catch let error as ClientError {
      if error.mayBeSchemeMismatch { try await checkScheme(of: error.url) }
      // Retrying does not help against a problem on this side.
      let isOurs = [.localFile, .invalidRequest, .invalidURL].contains(error.code)
      if isOurs { throw CoordinatorError.refused(error.message) }
      let isUntrusted =
        error.code == .secureConnectionFailed && error.certificateProblem != .otherName
      throw CoordinatorError.unavailable(
        error.message + (isUntrusted ? " (--ca-file FILE names the certificate to trust)" : ""))
    }
    guard let answer = CoordinatorAnswer(response) else {
      if response.status == .badRequest { try await checkScheme(of: response.url) }
      throw CoordinatorError.unavailable(
        "\(base(of: response)) responded with \(response.status), but is not a coordinator")
    }
    contact.answered()
    switch answer {
    case .unauthorized(let detail): throw await refusal(of: detail, by: base(of: response))
    // A success counts as the coordinator's only after its body is read.
    case .success, .passing: break
    case .refusal: refusals.accepted()
    }
    return answer
  }

  /// Throws if no coordinator has ever answered, and a URL's address has the wrong scheme.
  private func checkScheme(of url: String) async throws(CoordinatorError) {
    guard !contact.hasAnswered,
      let mismatch = await SchemeMismatch.find(at: servers.address(in: url))
    else { return }
    throw .unavailable(mismatch.message)
  }

  /// Handles a refusal of the token by reading its file again.
  private func refusal(of detail: String, by base: String) async -> CoordinatorError {
    let client = client
    let hasChanged = try? await BlockingThread.run(named: "token") { client.readTokenAgain() }
    if hasChanged == true {
      return .unavailable(
        "\(base) refused the token (\(detail)): trying the new token in the token file")
    }
    let problem = "\(base) refused the token: \(detail)"
    guard let left = refusals.refused() else { return .tokenRevoked(problem) }
    return .tokenRefused("\(problem) (the worker exits in \(left.components.seconds) s)")
  }

  private func unavailable(_ answer: CoordinatorAnswer) -> CoordinatorError {
    // An answer does not change the address in use.
    switch answer {
    case .success: .unavailable("\(servers.current) sent an unexpected response")
    case .passing(let detail), .unauthorized(let detail), .refusal(_, let detail):
      .unavailable("\(servers.current) is unavailable: \(detail)")
    }
  }

  private func expectNoContent(_ response: ClientResponse) throws(CoordinatorError) {
    guard response.status == .noContent else {
      throw .unavailable("\(base(of: response)) sent an unexpected response: \(response.status)")
    }
    refusals.accepted()
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type, from response: ClientResponse
  ) throws(CoordinatorError) -> Value {
    guard let digest = response.headers[ContentDigest.headerName],
      ContentDigest.holds(digest, for: response.body)
    else {
      throw .unavailable(
        "\(base(of: response)) sent a response that is damaged or not from a coordinator")
    }
    do {
      let value = try FarmCoding.decode(type, from: response.body)
      refusals.accepted()
      return value
    } catch {
      throw .unavailable(
        "\(base(of: response)) sent a response that this version cannot read: \(response.status)")
    }
  }
}
