import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Jobs with many files, which wait to be planned.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct WaitingJobTests {
  /// A barrier that holds jobs until it is opened.
  private final class Barrier: Sendable {
    private let state = Mutex((submitters: [String?](), isOpen: false))

    /// The number of jobs that have arrived.
    var arrived: Int { state.withLock { $0.submitters.count } }
    /// The number of submitters whose jobs have arrived.
    var submitterCount: Int { state.withLock { Set($0.submitters).count } }
    var isOpen: Bool { state.withLock { $0.isOpen } }

    func open() { state.withLock { $0.isOpen = true } }

    func pass(for submitter: String?) async throws {
      state.withLock { $0.submitters.append(submitter) }
      try await eventually("the barrier is opened") { isOpen }
    }
  }

  /// Submits a project that names a hundred files.
  ///
  /// - Parameter holder: the submitter, if it is not the farm's own.
  private func submit(to farm: TestFarm, as holder: TokenHolder? = nil) async throws -> JobStatus {
    let bytes = Data("a clip".utf8)
    let asset = AssetReference(digest: Digest.of(bytes), byteCount: Int64(bytes.count))
    let upload =
      if let holder { try await holder.upload(bytes) } else {
        try await farm.send(.put, "/assets/\(asset.digest)", body: bytes)
      }
    #expect(upload.status == .created)
    let names = (0..<100).map { "\(String(repeating: "n", count: 100))-\($0).mp4" }
    let clips = names.map { "{\"clip\": \"\($0)\"}" }.joined(separator: ",")
    let submission = JobSubmission(
      name: "long", project: "{\"version\": 1, \"sequence\": [\(clips)]}",
      assets: Dictionary(uniqueKeysWithValues: names.map { ($0, asset) }))
    let response =
      if let holder {
        try await holder.send(.post, "/jobs", body: FarmCoding.encode(submission))
      } else {
        try await farm.post("/jobs", submission)
      }
    #expect([.created, .ok].contains(response.status))
    return try await response.wire()
  }

  private func states(_ jobs: [JobStatus], on farm: TestFarm) async throws -> [JobState] {
    var states: [JobState] = []
    for job in jobs {
      states.append(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state)
    }
    return states
  }

  private func untilAllRender(_ jobs: [JobStatus], on farm: TestFarm) async throws {
    try await eventually("all jobs render") {
      try await states(jobs, on: farm)
    } satisfies: {
      $0 == jobs.map { _ in .rendering }
    }
  }

  @Test func `only a few large submissions are in memory at a time`() async throws {
    let barrier = Barrier()
    let farm = try await TestFarm(
      media: FakeMedia(beforeIndexing: { try await barrier.pass(for: $0) }), security: .secured)
    let other = try TokenHolder(.submitter, "ben", of: farm)
    var jobs: [JobStatus] = []
    for _ in 0..<6 { jobs.append(try await submit(to: farm)) }
    try await eventually("two jobs arrive") { barrier.arrived >= 2 }
    // The last job gets the place that the submitter of the others cannot have.
    let last = try await submit(to: farm, as: other)
    try await eventually("the other submitter's job arrives") { barrier.submitterCount >= 2 }
    #expect(barrier.arrived == 3)
    #expect(try await states(jobs, on: farm).count { $0 == .queued } == 4)
    barrier.open()
    try await untilAllRender(jobs, on: farm)
    try await other.wait(for: last.id, until: .rendering)
  }

  @Test func `a job that waits for planning time does not keep its submission in memory`()
    async throws
  {
    let barrier = Barrier()
    let media = FakeMedia(
      beforeIndexing: { _ in
        guard !barrier.isOpen else { return }
        throw JobError(.planningQuotaReached, "there is no time")
      }, planningTime: { try await barrier.pass(for: $0) })
    let farm = try await TestFarm(media: media)
    var jobs: [JobStatus] = []
    for _ in 0..<6 { jobs.append(try await submit(to: farm)) }
    // More jobs than could wait if a waiting job kept its place.
    try await eventually("all jobs arrive") { barrier.arrived >= jobs.count }
    barrier.open()
    try await untilAllRender(jobs, on: farm)
  }
}
