import FarmAPI
import Foundation
import HTTP
import Planning
import Rendering

/// A worker that takes leases, waits as long as rendering would take while it renews them, and delivers a chunk that
/// was rendered before: to the farm's object store if it has one, and to the coordinator otherwise.
struct SimulatedWorker: Sendable {
  /// The connections of a worker.
  struct Clients: Sendable {
    let coordinator = Client(stallTimeout: .seconds(90))
    let store = Client(stallTimeout: .seconds(90))
  }

  let number: Int
  let api: String
  let clients: Clients
  let chunks: Chunks
  let tally: Tally
  /// How long after the others' start this worker starts, so that not all do so at once.
  let start: Duration
  let segmentSeconds: Double

  /// Works until an instant, and finishes the lease that it has then.
  func run(until end: ContinuousClock.Instant) async {
    try? await Task.sleep(for: start)
    var pause = Duration.seconds(1)
    while ContinuousClock.now < end, !Task.isCancelled {
      do {
        try await serve(until: end)
      } catch {
        guard !Task.isCancelled else { return }
        tally.fail("worker \(number): \(error)")
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(30))
      }
    }
  }

  /// Registers, and works until an instant.
  private func serve(until end: ContinuousClock.Instant) async throws {
    let registration = WorkerRegistration(
      name: "simulated-\(number)", slots: 1, fingerprint: Fingerprint.current)
    let welcome: WorkerWelcome = try await wire(
      call(.post, "/workers", FarmCoding.encode(registration)))
    let begin = ContinuousClock.now
    defer { tally.note { $0.working += begin.duration(to: .now) } }
    while ContinuousClock.now < end {
      let (response, took) = try await timed(
        call(.post, "/workers/\(welcome.id)/leases?wait=30", timeout: .seconds(60)))
      guard response.status != .noContent else { continue }
      let lease: BriefLease = try wire(response)
      tally.note(.lease, took)
      try await work(on: lease, in: response.body, for: welcome)
    }
  }

  private func work(on lease: BriefLease, in message: Data, for welcome: WorkerWelcome) async throws
  {
    let begin = ContinuousClock.now
    let length = Duration.seconds(segmentSeconds * Double.random(in: 0.8...1.2))
    // As often as the coordinator asks for, and at least twice per segment.
    let step = min(Duration.milliseconds(lease.heartbeatMilliseconds), length / 3)
    while begin.duration(to: .now) + step < length {
      try await Task.sleep(for: step)
      guard try await renew(lease, rendered: begin.duration(to: .now) / length) else {
        tally.note { $0.stopped += 1 }
        return
      }
    }
    try await Task.sleep(until: begin + length, clock: .continuous)
    tally.note { $0.rendering += length }
    let chunk = try await chunks.chunk(of: lease, in: message)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while (try? await Task.sleep(for: step)) != nil {
          do { _ = try await renew(lease, rendered: 1) } catch {
            // If the lease has ended, the chunk was accepted meanwhile, or the delivery will tell.
            guard !(error is Refused), !Task.isCancelled else { return }
            tally.fail("worker \(number): \(error)")
          }
        }
      }
      try await deliver(chunk, of: lease, through: welcome.hasObjectStore == true)
      group.cancelAll()
    }
  }

  /// Sends a heartbeat. Returns whether the lease is still wanted.
  ///
  /// - Parameter share: the share of the segment's frames that are rendered.
  private func renew(_ lease: BriefLease, rendered share: Double) async throws -> Bool {
    let heartbeat = Heartbeat(
      framesRendered: Int(Double(lease.description.frameCount) * share))
    let (response, took) = try await timed(
      call(.put, "/leases/\(lease.token)", FarmCoding.encode(heartbeat)))
    tally.note(.heartbeat, took)
    return try !wire(response, as: HeartbeatAnswer.self).stop
  }

  private func deliver(
    _ chunk: Chunks.Chunk, of lease: BriefLease, through hasStore: Bool
  ) async throws {
    var request = ClientRequest(
      .put, "\(api)/leases/\(lease.token)/chunk", headers: Headers(try chunk.manifest.headers()))
    if hasStore, let name = try await store(chunk, of: lease) {
      request.headers[ChunkFolder.fileHeaderName] = name
      request.body = Data()
    } else {
      request.body = chunk.bytes
    }
    let (response, took) = try await timed(request)
    guard response.status == .ok else { throw Refused(response) }
    tally.note(.delivery, took)
    tally.noteDelivered(lease, byteCount: chunk.bytes.count)
  }

  /// Uploads a chunk to the object store.
  ///
  /// - Returns: the name under which it is delivered; `nil` if the store did not accept it, so that it has to be sent.
  private func store(_ chunk: Chunks.Chunk, of lease: BriefLease) async throws -> String? {
    let name = ChunkFolder.newFileName()
    let delivery = StorageDelivery(
      name: name, byteCount: chunk.manifest.byteCount, sha256: chunk.manifest.sha256)
    let (response, took) = try await timed(
      call(.post, "/leases/\(lease.token)/link", FarmCoding.encode(delivery)))
    let link: StorageLink = try wire(response)
    tally.note(.link, took)
    let begin = ContinuousClock.now
    let stored = try await clients.store.send(
      ClientRequest(.put, link.url, headers: Headers(link.headers), body: chunk.bytes))
    guard stored.status.isSuccess else {
      tally.note { $0.storeRefusals += 1 }
      return nil
    }
    tally.note(.upload, begin.duration(to: .now))
    return name
  }

  private func call(
    _ method: HTTP.Method, _ path: String, _ body: Data? = nil, timeout: Duration? = nil
  ) -> ClientRequest {
    ClientRequest(method, api + path, body: body, timeout: timeout)
  }

  private func timed(_ request: ClientRequest) async throws -> (ClientResponse, Duration) {
    let begin = ContinuousClock.now
    let response = try await clients.coordinator.send(request)
    return (response, begin.duration(to: .now))
  }

  private func wire<Value: Decodable>(_ request: ClientRequest) async throws -> Value {
    try wire(await clients.coordinator.send(request))
  }

  private func wire<Value: Decodable>(
    _ response: ClientResponse, as type: Value.Type = Value.self
  ) throws -> Value {
    guard response.status.isSuccess else { throw Refused(response) }
    return try FarmCoding.decode(type, from: response.body)
  }

  /// A response that a worker should not receive.
  private struct Refused: Error, CustomStringConvertible {
    let description: String

    init(_ response: ClientResponse) {
      let detail = response.problem.map { " (\($0.detail))" } ?? ""
      description = "\(response.url): \(response.status)\(detail)"
    }
  }
}
