import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Jobs that compete for the few places at which files are assembled.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct AssemblyPlaceTests {
  /// Submits a job and leases all of its segments. The leases are in order.
  ///
  /// - Parameter holder: the submitter, if it is not the farm's own.
  private func begin(
    _ name: String, on farm: TestFarm, as holder: TokenHolder? = nil
  ) async throws -> (JobStatus, [Lease]) {
    let job =
      if let holder { try await submit(name, as: holder) } else {
        try await farm.submit(name: name)
      }
    let worker = try await farm.register(name: name)
    var leases = [try await farm.lease(worker)]
    let route = "/jobs/\(job.id)"
    let status: JobStatus =
      if let holder { try await holder.send(.get, route).wire() } else {
        try await farm.get(route)
      }
    while leases.count < status.segments.total { leases.append(try await farm.lease(worker)) }
    #expect(leases.allSatisfy { $0.job == job.id })
    return (job, leases.sorted { $0.segment < $1.segment })
  }

  private func submit(_ name: String, as holder: TokenHolder) async throws -> JobStatus {
    let bytes = Data("a clip".utf8)
    #expect(try await holder.upload(bytes).status == .created)
    let asset = AssetReference(digest: Digest.of(bytes), byteCount: Int64(bytes.count))
    let submission = JobSubmission(
      name: name, project: TestFarm.project, assets: ["a.mp4": asset], rerenders: true)
    let response = try await holder.send(.post, "/jobs", body: FarmCoding.encode(submission))
    #expect(response.status == .created)
    return try await response.wire()
  }

  private func deliver(_ leases: some Sequence<Lease>, to farm: TestFarm) async throws {
    for lease in leases { #expect(try await farm.deliver(lease).status == .ok) }
  }

  /// Waits for a job to complete, and returns the content of its file.
  private func file(of job: JobStatus, on farm: TestFarm) async throws -> String {
    let end = try await farm.end(of: job)
    #expect(end.state == .completed, "\(end.failure?.message ?? "")")
    let output = try await farm.send(.get, "/jobs/\(job.id)/output").content()
    return String(decoding: output, as: UTF8.self)
  }

  @Test func `a job that waits for a chunk gives up its slot to a job that waits for one`()
    async throws
  {
    var limits = Limits()
    limits.assemblies = 1
    let media = FakeMedia()
    let farm = try await TestFarm(media: media, limits: limits)
    let (slow, slowLeases) = try await begin("slow", on: farm)
    let (quick, quickLeases) = try await begin("quick", on: farm)
    try await deliver(slowLeases.prefix(2), to: farm)
    try await eventually("two chunks are appended") { media.reaches.count >= 2 }
    // The first job has a place, and its third chunk is missing.
    try await deliver(quickLeases, to: farm)
    let content = quickLeases.map { "<\($0.segment)>" }.joined()
    #expect(try await file(of: quick, on: farm) == content)
    #expect(try await farm.get("/jobs/\(slow.id)", as: JobStatus.self).state == .rendering)
    try await deliver(slowLeases.dropFirst(2), to: farm)
    #expect(try await file(of: slow, on: farm) == content)
    #expect(media.mostOpenFiles == 1)
  }

  @Test func `a submitter's next job leaves the last slot to another submitter`() async throws {
    var limits = Limits()
    limits.assemblies = 2
    let finishing = Mutex((count: 0, isOpen: false))
    // The first file stays unfinished, so it keeps its place.
    let media = FakeMedia(beforeFinish: {
      let number = finishing.withLock { state in
        state.count += 1
        return state.count
      }
      guard number == 1 else { return }
      try await eventually("the first job may finish") { finishing.withLock { $0.isOpen } }
    })
    let farm = try await TestFarm(media: media, limits: limits, security: .secured)
    let ben = try TokenHolder(.submitter, "ben", of: farm)
    let (first, firstLeases) = try await begin("first", on: farm)
    try await deliver(firstLeases, to: farm)
    try await eventually("the first job finishes") { finishing.withLock { $0.count } > 0 }
    let (next, nextLeases) = try await begin("next", on: farm)
    try await deliver(nextLeases, to: farm)
    let (other, otherLeases) = try await begin("other", on: farm, as: ben)
    try await deliver(otherLeases, to: farm)
    try await ben.wait(for: other.id, until: .completed)
    #expect(media.reaches.contains { $0.writable.contains(other.id) })
    #expect(!media.reaches.contains { $0.writable.contains(next.id) })
    finishing.withLock { $0.isOpen = true }
    let content = firstLeases.map { "<\($0.segment)>" }.joined()
    #expect(try await file(of: first, on: farm) == content)
    #expect(try await file(of: next, on: farm) == content)
  }

  @Test func `a job keeps its unfinished file while no other job waits for a slot`() async throws {
    var limits = Limits()
    limits.assemblies = 1
    let media = FakeMedia()
    let farm = try await TestFarm(media: media, limits: limits)
    let (job, leases) = try await begin("cut", on: farm)
    try await deliver(leases.prefix(1), to: farm)
    try await eventually("a chunk is appended") { !media.reaches.isEmpty }
    #expect(media.openFileCount == 1)
    try await deliver(leases.dropFirst(), to: farm)
    #expect(try await file(of: job, on: farm) == leases.map { "<\($0.segment)>" }.joined())
    #expect(media.reaches.count == leases.count, "no chunk was appended twice")
  }
}
