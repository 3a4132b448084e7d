import FarmAPI
import Foundation
import HTTP
import Testing
import sheaf_coordinator

/// Files that are assembled, each by a process, at few places.
@Suite(.timeLimit(.minutes(2))) struct AssemblyPlaceTests {
  /// Submits a job, and takes leases of all of its segments, in order.
  private func begin(_ name: String, on farm: TestFarm) async throws -> (JobStatus, [Lease]) {
    let job = try await farm.submit(name: name)
    let worker = try await farm.register(name: name)
    var leases = [try await farm.lease(worker)]
    let count = try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.total
    while leases.count < count { leases.append(try await farm.lease(worker)) }
    #expect(leases.allSatisfy { $0.job == job.id })
    return (job, leases.sorted { $0.segment < $1.segment })
  }

  private func deliver(_ leases: some Sequence<Lease>, to farm: TestFarm) async throws {
    for lease in leases { #expect(try await farm.deliver(lease).status == .ok) }
  }

  /// The bytes of a completed job's file.
  private func file(of job: JobStatus, on farm: TestFarm) async throws -> String {
    let end = try await farm.end(of: job)
    #expect(end.state == .completed, "\(end.failure?.message ?? "")")
    let output = try await farm.send(.get, "/jobs/\(job.id)/output").content()
    return String(decoding: output, as: UTF8.self)
  }

  @Test func `a job that waits for a chunk gives its place to one that waits for a place`()
    async throws
  {
    var limits = Limits()
    limits.assemblies = 1
    let media = FakeMedia()
    let farm = try await TestFarm(media: media, limits: limits)
    let (slow, slowLeases) = try await begin("slow", on: farm)
    let (quick, quickLeases) = try await begin("quick", on: farm)
    try await deliver(slowLeases.prefix(2), to: farm)
    while media.reaches.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
    // The first job has a place, and lacks its third chunk.
    try await deliver(quickLeases, to: farm)
    let content = quickLeases.map { "<\($0.segment)>" }.joined()
    #expect(try await file(of: quick, on: farm) == content)
    #expect(try await farm.get("/jobs/\(slow.id)", as: JobStatus.self).state == .rendering)
    try await deliver(slowLeases.dropFirst(2), to: farm)
    #expect(try await file(of: slow, on: farm) == content)
    #expect(media.mostOpenFiles == 1)
  }

  @Test func `a job keeps its unfinished file while nobody else waits for a place`() async throws {
    var limits = Limits()
    limits.assemblies = 1
    let media = FakeMedia()
    let farm = try await TestFarm(media: media, limits: limits)
    let (job, leases) = try await begin("cut", on: farm)
    try await deliver(leases.prefix(1), to: farm)
    while media.reaches.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    // Longer than it may keep its place from others.
    try await Task.sleep(for: .seconds(3))
    #expect(media.openFileCount == 1)
    try await deliver(leases.dropFirst(), to: farm)
    #expect(try await file(of: job, on: farm) == leases.map { "<\($0.segment)>" }.joined())
    #expect(media.reaches.count == leases.count, "no chunk was appended twice")
  }
}
