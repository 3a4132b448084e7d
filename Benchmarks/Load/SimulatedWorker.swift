import FarmAPI
import Foundation
import HTTP
import Planning
import Rendering

/// A worker that takes leases, waits as long as rendering would take while it renews them, and delivers a chunk that
/// was rendered before.
struct SimulatedWorker: Sendable {
  let number: Int
  let api: String
  let client: Client
  let chunks: Chunks
  let tally: Tally
  let segmentSeconds: Double

  /// Works until an instant, and finishes the lease that it has then.
  func run(until end: ContinuousClock.Instant) async {
    do {
      // The workers start over two seconds, not all at once.
      try await Task.sleep(for: .milliseconds(number * 2 % 2000))
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
        tally.note { $0.leases.append(took) }
        try await work(on: wire(response), beat: welcome.heartbeatMilliseconds)
      }
    } catch {
      tally.fail("worker \(number): \(error)")
    }
  }

  private func work(on lease: Lease, beat: Int) async throws {
    let begin = ContinuousClock.now
    let length = Duration.seconds(segmentSeconds * Double.random(in: 0.8...1.2))
    // Two heartbeats per segment: more often than a real worker.
    let step = min(Duration.milliseconds(beat), length / 3)
    while begin.duration(to: .now) + step < length {
      try await Task.sleep(for: step)
      let frames = Int(
        Double(lease.description.frameCount) * (begin.duration(to: .now) / length))
      let (response, took) = try await timed(
        call(.put, "/leases/\(lease.token)", FarmCoding.encode(Heartbeat(framesRendered: frames))))
      tally.note { $0.heartbeats.append(took) }
      if try wire(response, as: HeartbeatAnswer.self).stop {
        tally.note { $0.stopped += 1 }
        return
      }
    }
    try await Task.sleep(until: begin + length, clock: .continuous)
    tally.note { $0.rendering += length }
    let chunk = try await chunks.chunk(of: lease)
    let (response, took) = try await timed(
      ClientRequest(
        .put, "\(api)/leases/\(lease.token)/chunk",
        headers: chunk.headers, body: chunk.bytes))
    guard response.status == .ok else { throw Refused(response) }
    tally.note { $0.deliveries.append(took) }
  }

  private func call(
    _ method: HTTP.Method, _ path: String, _ body: Data? = nil, timeout: Duration? = nil
  ) -> ClientRequest {
    ClientRequest(method, api + path, body: body, timeout: timeout)
  }

  private func timed(_ request: ClientRequest) async throws -> (ClientResponse, Duration) {
    let begin = ContinuousClock.now
    let response = try await client.send(request)
    return (response, begin.duration(to: .now))
  }

  private func wire<Value: Decodable>(_ request: ClientRequest) async throws -> Value {
    try wire(await client.send(request))
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
      description = "\(response.status): \(response.problem?.detail ?? "")"
    }
  }
}
