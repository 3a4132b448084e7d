import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Support
import Synchronization
import Timeline

/// A coordinator that hands out the given leases, and records the calls.
final class FakeCoordinator: Sendable {
  /// A call that arrived.
  enum Call: Hashable, Sendable {
    case registered(name: String)
    case asked(worker: String)
    case beat(token: String, frames: Int)
    case beatOfAssets(token: String, byteCount: Int64, isWaiting: Bool)
    case delivered(token: String, bytes: [UInt8])
    case deliveredFile(token: String, bytes: [UInt8])
    case failed(token: String, FailureReport)
    case givenBack(token: String)
  }

  /// A refusal.
  struct Refusal: Sendable {
    let status: Status
    let type: ProblemType

    static let unavailable = Refusal(status: .serviceUnavailable, type: .unavailable)
    static let stale = Refusal(status: .conflict, type: .staleLease)
    static let invalid = Refusal(status: .unprocessableContent, type: .invalidChunk)
    static let mediaType = Refusal(status: .unsupportedMediaType, type: .mediaType)
  }

  /// The responses. A test may change them while the coordinator runs.
  struct Behavior: Sendable {
    var leases: [Lease] = []
    /// Whether requests for a lease are answered at once if there is none.
    var answersWithoutWork = false
    var registrations = 0
    /// The ids of forgotten workers.
    var forgotten: Set<String> = []
    /// The statuses of the next calls of a kind, before calls succeed.
    var registrationFailures: ArraySlice<Status> = []
    var deliveryFailures: ArraySlice<Refusal> = []
    /// The folder in which workers may leave chunks.
    var chunkFolder: ChunkFolder?
    /// The object store in which workers may leave chunks.
    var store: FakeStore?
    /// Whether what workers leave is not seen.
    var isBlind = false
    /// How many of the next deliveries arrive damaged.
    var damagedDeliveries = 0
    /// How many of the next leases arrive damaged.
    var damagedLeases = 0
    /// The tokens whose deliveries fail for now.
    var undeliverable: Set<String> = []
    /// The lines that arrived for each lease.
    var logs: [String: String] = [:]
    var heartbeat: @Sendable (String) throws -> HeartbeatAnswer = { _ in
      HeartbeatAnswer(stop: false)
    }
  }

  let calls: AsyncStream<Call>
  private let shared: Shared
  private let server: Server

  private final class Shared: Sendable {
    let behavior = Mutex(Behavior())
    let log: AsyncStream<Call>.Continuation

    init(log: AsyncStream<Call>.Continuation) { self.log = log }

    /// Records the lines that a worker has logged under a lease.
    func note(log: String?, of token: String) {
      guard let log else { return }
      behavior.withLock { $0.logs[token, default: ""] += log }
    }

    /// Whether the next lease should arrive damaged.
    func takeDamage() -> Bool {
      behavior.withLock { behavior in
        defer { behavior.damagedLeases = max(0, behavior.damagedLeases - 1) }
        return behavior.damagedLeases > 0
      }
    }

    /// Fails with the next status in the list, if there is one.
    func fail(_ list: @Sendable (inout Behavior) -> Refusal?) throws {
      guard let refusal = behavior.withLock({ list(&$0) }) else { return }
      throw HTTPError(refusal.status, type: refusal.type.rawValue, detail: "told to fail")
    }
  }

  init() throws {
    let (calls, log) = AsyncStream.makeStream(of: Call.self)
    self.calls = calls
    let shared = Shared(log: log)
    self.shared = shared
    server = try Server(try ServerConfiguration(port: 0, threads: 2), router: Self.router(shared))
  }

  var url: String { "http://127.0.0.1:\(port)" }

  var port: UInt16 { UInt16(server.port) }

  func change(_ change: (inout Behavior) -> Void) { shared.behavior.withLock { change(&$0) } }

  /// The current behavior.
  var current: Behavior { shared.behavior.withLock { $0 } }

  func shutdown() async { await server.shutdown(grace: .milliseconds(10)) }

  /// Ends ``calls`` after those that have arrived.
  func finish() { shared.log.finish() }

  /// The first call from now on that satisfies the condition.
  func next(where isWanted: (Call) -> Bool) async -> Call? {
    for await call in calls where isWanted(call) { return call }
    return nil
  }

  private static func router(_ shared: Shared) -> Router {
    var router = Router()
    router.post("/api/v1/workers") { request in
      try shared.fail {
        $0.registrationFailures.popFirst().map { Refusal(status: $0, type: .unavailable) }
      }
      let registration = try request.json(WorkerRegistration.self)
      shared.log.yield(.registered(name: registration.name))
      let number = shared.behavior.withLock { behavior in
        behavior.registrations += 1
        return behavior.registrations
      }
      return try .digested(
        WorkerWelcome(
          id: "w\(number)", chunkFolder: shared.behavior.withLock(\.chunkFolder),
          hasObjectStore: shared.behavior.withLock { $0.store != nil }))
    }
    router.post("/api/v1/workers/{id}/leases") { request in
      let id = try request.head.parameter("id")
      shared.log.yield(.asked(worker: id))
      let granted: (isForgotten: Bool, lease: Lease?) = try await eventually(
        "there is a lease, or the worker is forgotten"
      ) {
        shared.behavior.withLock { behavior in
          let isForgotten = behavior.forgotten.contains(id)
          let hasNone = isForgotten || behavior.leases.isEmpty
          return (isForgotten, hasNone ? nil : behavior.leases.removeFirst())
        }
      } satisfies: {
        $0.isForgotten || $0.lease != nil
          || shared.behavior.withLock(\.answersWithoutWork)
      }
      guard granted.isForgotten || granted.lease != nil else { return Response(.noContent) }
      guard let lease = granted.lease else {
        throw HTTPError(.notFound, type: ProblemType.notFound.rawValue, detail: "unknown worker")
      }
      let response = try Response.digested(lease)
      return shared.takeDamage() ? response.withTurnedBit : response
    }
    addLeaseRoutes(to: &router, shared)
    return router
  }

  private static func takeFile(
    _ name: String, _ manifest: ChunkManifest, _ token: String, _ shared: Shared
  ) throws -> Response {
    let behavior = shared.behavior.withLock(\.self)
    let file = behavior.chunkFolder.flatMap {
      FileManager.default.contents(atPath: "\($0.path)/\(name)")
    }
    guard !behavior.isBlind, ChunkFolder.isFileName(name),
      let bytes = file ?? behavior.store?.left(name)
    else {
      throw HTTPError(
        .unprocessableContent, type: ProblemType.missingChunkFile.rawValue, detail: "no file")
    }
    shared.log.yield(.deliveredFile(token: token, bytes: Array(bytes)))
    return try .digested(ChunkReceipt(sha256: manifest.sha256))
  }

  private static func addLeaseRoutes(to router: inout Router, _ shared: Shared) {
    router.put("/api/v1/leases/{token}") { request in
      let token = try request.head.parameter("token")
      let heartbeat = try request.json(Heartbeat.self)
      shared.note(log: heartbeat.log, of: token)
      shared.log.yield(.beat(token: token, frames: heartbeat.framesRendered))
      if let byteCount = heartbeat.assetBytes, let isWaiting = heartbeat.waitsForAssets {
        shared.log.yield(
          .beatOfAssets(token: token, byteCount: byteCount, isWaiting: isWaiting))
      }
      let answer = shared.behavior.withLock { $0.heartbeat }
      return try .digested(try answer(token))
    }
    router.post("/api/v1/leases/{token}/link") { request in
      let delivery = try request.json(StorageDelivery.self)
      guard let store = shared.behavior.withLock(\.store) else {
        throw HTTPError(
          .notFound, type: ProblemType.notFound.rawValue, detail: "there is no object store")
      }
      return try .digested(store.link(to: delivery))
    }
    router.put("/api/v1/leases/{token}/chunk") { request in
      try shared.fail { $0.deliveryFailures.popFirst() }
      let token = try request.head.parameter("token")
      try shared.fail { $0.undeliverable.contains(token) ? .unavailable : nil }
      let manifest = try ChunkManifest(
        line: request.headers[ChunkManifest.headerName],
        digest: request.headers[ChunkManifest.digestHeaderName])
      if let name = request.headers[ChunkFolder.fileHeaderName] {
        return try takeFile(name, manifest, token, shared)
      }
      guard Digest.of(request.body.prefix(Int(manifest.byteCount))) == manifest.sha256,
        Int64(request.body.count) == manifest.bodyByteCount
      else {
        throw HTTPError(
          .unprocessableContent, type: ProblemType.invalidChunk.rawValue,
          detail: "the digest does not hold")
      }
      let isDamaged = shared.behavior.withLock { behavior in
        defer { behavior.damagedDeliveries = max(0, behavior.damagedDeliveries - 1) }
        return behavior.damagedDeliveries > 0
      }
      if isDamaged {
        throw HTTPError(
          .unprocessableContent, type: ProblemType.damagedChunk.rawValue, detail: "damaged")
      }
      shared.note(
        log: manifest.log.map { String(decoding: $0, as: UTF8.self) }, of: token)
      shared.log.yield(
        .delivered(token: try request.head.parameter("token"), bytes: Array(request.body)))
      return try .digested(ChunkReceipt(sha256: manifest.sha256))
    }
    router.post("/api/v1/leases/{token}/failure") { request in
      var report = try request.json(FailureReport.self)
      shared.note(log: report.log, of: try request.head.parameter("token"))
      report.log = nil
      shared.log.yield(.failed(token: try request.head.parameter("token"), report))
      return Response(.noContent)
    }
    router.delete("/api/v1/leases/{token}") { request in
      shared.log.yield(.givenBack(token: try request.head.parameter("token")))
      return Response(.noContent)
    }
  }
}

extension Response {
  /// A response with a wire type and the digest of its bytes, as a coordinator sends it.
  fileprivate static func digested(_ value: some Encodable) throws -> Response {
    let body = try FarmCoding.encode(value)
    return .json(
      data: body, headers: [ContentDigest.headerName: ContentDigest.value(for: body)])
  }

  /// The response with one changed digit in its body, so that it is readable but wrong.
  fileprivate var withTurnedBit: Response {
    guard case .bytes(var data) = body,
      let place = data.lastIndex(where: { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return self }
    data[place] ^= 1
    return Response(status, headers: headers, body: .bytes(data))
  }
}

extension Lease {
  /// A lease of ten empty frames.
  ///
  /// - Parameter heartbeat: the interval between heartbeats, in milliseconds.
  static func test(_ token: String, memory: Int? = nil, heartbeat: Int = 50) -> Lease {
    Lease(
      token: token, job: "job", segment: 0, attempt: 1, durationMilliseconds: 10_000,
      heartbeatMilliseconds: heartbeat, memory: memory,
      description: SegmentDescription(
        first: 0, end: 10, frameDuration: RationalTime(1),
        renderSize: PixelSize(width: 16, height: 16), video: VideoSettings(), sources: [],
        slices: []),
      assets: [])
  }
}
