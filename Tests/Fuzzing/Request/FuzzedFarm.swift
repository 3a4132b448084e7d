import CoordinatorSupport
import Crypto
import Dispatch
import FarmAPI
import Foundation
import HTTP
import Scheduling
import Support
import Synchronization
import sheaf_coordinator

/// A coordinator with its server, an asset, a job of three segments, a worker, and a lease of one of the segments.
final class FuzzedFarm: Sendable {
  private let folder: TemporaryDirectory
  private let coordinator: Coordinator
  private let server: Server
  /// The placeholders in the corpus, and their values.
  private let names: [(place: Data, value: Data)]

  /// The port on which it listens.
  var port: UInt16 { server.port }

  init() throws {
    let folder = try TemporaryDirectory(in: "/dev/shm")
    let log = Log(.quiet) { _ in }
    let coordinator = try Coordinator(
      data: folder.path("data"), ledger: .inMemory, settings: SchedulerSettings(),
      tools: FakeMedia(), access: Access(.loopback, data: folder.path("data"), log: log),
      limits: Self.limits, log: log)
    names = try Self.wait {
      try await coordinator.start()
      return try await Self.populate(coordinator.router)
    }
    server = try Server(
      ServerConfiguration(threads: 1), router: coordinator.router
    ) { error, head in
      preconditionFailure("\(head.method) \(head.path) failed by the server's own fault: \(error)")
    }
    (self.folder, self.coordinator) = (folder, coordinator)
  }

  /// Stops the server and the coordinator.
  func stop() {
    try? Self.wait { [coordinator, server] in
      await coordinator.stop()
      await server.shutdown(grace: .seconds(3))
    }
  }

  /// A request with the corpus's placeholders replaced by the farm's own names.
  func filled(_ request: Data) -> Data {
    var request = request
    for name in names where request.contains(UInt8(ascii: "{")) {
      request.replace(name.place, with: name.value)
    }
    return request
  }

  /// Limits to few jobs, so that each farm is small, and to small bodies.
  private static let limits: Limits = {
    var limits = Limits()
    limits.jobsPerSubmitter = 20
    limits.assetsPerSubmitter = 100
    limits.bodyBytes = 4096
    limits.jsonDepth = 16
    return limits
  }()

  private static func populate(_ router: Router) async throws -> [(place: Data, value: Data)] {
    func ask<Value: Decodable>(
      _ method: HTTP.Method, _ path: String, _ body: Data, as type: Value.Type = Value.self
    ) async throws -> Value {
      let response = await router.respond(to: try Request(method, "/api/v1" + path, body: body))
      return try FarmCoding.decode(Value.self, from: await response.content())
    }
    let clip = Data("a clip".utf8)
    let digest = Digest.of(clip)
    _ = await router.respond(to: try Request(.put, "/api/v1/assets/\(digest)", body: clip))
    let project = """
      {"version": 1, "sequence": [
        {"clip": "a.mp4"}, {"transition": "dissolve", "duration": 1}, {"clip": "a.mp4"}]}
      """
    let submission = JobSubmission(
      name: "cut", project: project,
      assets: ["a.mp4": AssetReference(digest: digest, byteCount: Int64(clip.count))])
    let job: JobStatus = try await ask(.post, "/jobs", FarmCoding.encode(submission))
    let worker: WorkerWelcome = try await ask(
      .post, "/workers",
      FarmCoding.encode(WorkerRegistration(name: "host", slots: 4, fingerprint: "x264")))
    let lease: Lease = try await ask(.post, "/workers/\(worker.id)/leases?wait=30", Data())
    let values = ["job": job.id, "worker": worker.id, "lease": lease.token, "asset": "\(digest)"]
    return values.map { (Data("{\($0.key)}".utf8), Data($0.value.utf8)) }
  }

  /// Waits for a task on libFuzzer's thread, and returns its value.
  private static func wait<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Value, any Error>?>(nil)
    Task {
      do {
        let value = try await work()
        result.withLock { $0 = .success(value) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      done.signal()
    }
    done.wait()
    guard let result = result.withLock({ $0 }) else { preconditionFailure("no result") }
    return try result.get()
  }
}
