import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Support
import sheaf_coordinator

/// A client with a token of a test's coordinator.
package struct TokenHolder {
  package let farm: TestFarm
  package let token: String
  package let id: String

  package init(_ role: Role, _ name: String, of farm: TestFarm) throws {
    self.farm = farm
    let (token, record) = TokenRecord.make(role: role, name: name, at: Date())
    try Self.file(of: farm).update { $0.append(record) }
    self.token = token
    id = record.id
  }

  /// The holder of the same token at a restarted farm.
  package init(_ other: TokenHolder, of farm: TestFarm) {
    self.farm = farm
    (token, id) = (other.token, other.id)
  }

  package static func file(of farm: TestFarm) -> TokenFile {
    TokenFile(data: farm.directory.path("data"))
  }

  /// Revokes the token in the tokens file. The coordinator is not notified.
  package func revoke() throws {
    try Self.file(of: farm).update { records in
      for index in records.indices where records[index].id == id {
        records[index].revokedAt = Date(timeIntervalSince1970: 1_000_000_000)
      }
    }
  }

  package func send(
    _ method: HTTP.Method, _ path: String, headers: Headers = [:], body: Data = Data()
  ) async throws -> Response {
    var headers = headers
    headers["Authorization"] = "Bearer \(token)"
    return try await farm.send(method, path, headers: headers, body: body)
  }

  /// Registers as a worker.
  package func register(name: String) async throws -> String {
    let response = try await send(
      .post, "/workers",
      body: FarmCoding.encode(WorkerRegistration(name: name, slots: 1, fingerprint: "x264")))
    return try await response.wire(as: WorkerWelcome.self).id
  }

  /// Waits for a lease, which must come within a minute.
  package func lease(_ worker: String) async throws -> Lease {
    try await send(.post, "/workers/\(worker)/leases?wait=60").wire()
  }

  /// Delivers a lease's chunk.
  ///
  /// - Parameter bytes: the chunk; ``TestFarm/chunk(of:)`` if it is `nil`.
  package func deliver(_ lease: Lease, _ bytes: Data? = nil) async throws -> Response {
    let bytes = bytes ?? TestFarm.chunk(of: lease)
    let manifest = ChunkManifest(
      frameCount: lease.description.frameCount, byteCount: Int64(bytes.count),
      sha256: Digest.of(bytes), parameterSets: Data([0, 0, 0, 1, 0x67, 1, 0, 0, 1, 0x68, 1]))
    return try await send(
      .put, "/leases/\(lease.token)/chunk", headers: Headers(try manifest.headers()), body: bytes)
  }

  /// Renders a job's pending segments until the job ends or the limit is reached.
  ///
  /// - Returns: the numbers of the rendered segments, in order.
  package func render(
    _ job: String, atMost limit: Int = .max, as worker: String, asking reader: TokenHolder,
    _ bytes: ((Lease) -> Data)? = nil
  ) async throws -> [Int] {
    var rendered: [Int] = []
    try await eventually("job \(job) ends, or \(limit) of its segments are rendered") {
      guard rendered.count < limit else { return true }
      let status: JobStatus = try await reader.send(.get, "/jobs/\(job)").wire()
      if status.state.isFinal { return true }
      guard status.segments.pending > 0 else { return false }
      // A pending segment may get another job's chunk a moment later.
      let answer = try await send(.post, "/workers/\(worker)/leases?wait=1")
      guard answer.status == .ok else { return false }
      let lease = try await answer.wire(as: Lease.self)
      rendered.append(lease.segment)
      _ = try await deliver(lease, bytes?(lease))
      return false
    }
    return rendered.sorted()
  }

  /// Waits until a job ends, and returns its last status.
  package func end(of job: JobStatus) async throws -> JobStatus {
    try await eventually("job \(job.name) ends") {
      try await send(.get, "/jobs/\(job.id)").wire()
    } satisfies: {
      $0.state.isFinal
    }
  }

  /// Waits until a job is in a state.
  package func wait(for job: String, until state: JobState) async throws {
    try await eventually("job \(job) is \(state)") {
      try await send(.get, "/jobs/\(job)").wire(as: JobStatus.self).state
    } satisfies: {
      $0 == state
    }
  }

  /// Uploads an asset in one request.
  package func upload(_ bytes: Data) async throws -> Response {
    try await send(.put, "/assets/\(Digest.of(bytes))", body: bytes)
  }

  /// Submits the test project with `asset` as its only asset.
  package func submit(_ asset: AssetReference) async throws -> Response {
    try await send(
      .post, "/jobs",
      body: FarmCoding.encode(
        JobSubmission(name: "cut", project: TestFarm.project, assets: ["a.mp4": asset])))
  }
}

extension TestFarm {
  /// The holder of an admin token.
  package func admin() throws -> TokenHolder { try TokenHolder(.admin, "root", of: self) }
}

extension TokenHolder {
  /// The status of a job as soon as it satisfies `isReached`.
  package func end(
    of job: JobStatus, where isReached: (JobStatus) -> Bool
  ) async throws -> JobStatus {
    let response = try await send(.get, "/jobs/\(job.id)/events")
    guard case .events(let events, _) = response.body else { return job }
    for await event in events {
      let status = try FarmCoding.decode(JobStatus.self, from: Data(event.data.utf8))
      if isReached(status) { return status }
    }
    return job
  }
}
