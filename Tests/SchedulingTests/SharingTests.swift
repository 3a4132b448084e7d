import FarmAPI
import Planning
import Scheduling
import Support
import Testing

/// Identical segments of live jobs are rendered once.
@Suite(.mayBlock) struct SharingTests {
  private static let a = JobID(rawValue: "a")
  private static let b = JobID(rawValue: "b")

  /// Two jobs whose segments have the numbered contents.
  private func farm(_ first: [Int], _ second: [Int]) throws -> SimulatedFarm {
    var farm = try SimulatedFarm()
    for worker in ["one", "two", "three"] { farm.addWorker(worker) }
    try farm.addJob("a", order: 1, contents: first)
    try farm.addJob("b", order: 2, contents: second)
    return farm
  }

  private func progress(_ farm: SimulatedFarm, _ job: JobID) -> SegmentCounts? {
    farm.scheduler.progress(of: job)?.segments
  }

  @Test func `a segment that is identical to another job's waits for its chunk`() throws {
    var farm = try farm([10], [10])
    let lease = try farm.lease("one")
    #expect(lease.segment.job == Self.a)
    #expect(farm.want("two", wait: .zero).grants.isEmpty)
    let actions = farm.handle(.chunkAccepted(lease.token))
    #expect(
      actions.suffix(4) == [
        .finishRendering(Self.a), .fixFingerprint(Self.b, "x264"),
        .shareChunk(lease.segment, with: SegmentID(job: Self.b, index: 0)),
        .finishRendering(Self.b),
      ])
    #expect(progress(farm, Self.b)?.completed == 1)
  }

  @Test func `a job's other segments are rendered while one waits for a shared chunk`() throws {
    var farm = try farm([10], [10, 5])
    _ = try farm.lease("one")
    #expect(try farm.lease("two").segment == SegmentID(job: Self.b, index: 1))
    #expect(farm.want("three", wait: .zero).grants.isEmpty)
  }

  @Test func `identical segments of one job are rendered once`() throws {
    var farm = try farm([10, 10, 10], [7])
    let lease = try farm.lease("one")
    #expect(try farm.lease("two").segment.job == Self.b)
    farm.handle(.chunkAccepted(lease.token))
    #expect(progress(farm, Self.a)?.completed == 3)
  }

  /// The ways in which an attempt ends without a chunk.
  enum End: CaseIterable {
    case cancelled, failed, givenBack, expired
  }

  @Test(arguments: End.allCases)
  func `another job takes over when an attempt ends without a chunk`(_ end: End) throws {
    var farm = try farm([10], [10])
    let lease = try farm.lease("one")
    // The other workers wait: the first that may render it gets it at once.
    #expect(farm.want("two").grants.isEmpty)
    farm.handle(.workerDrained(WorkerID(rawValue: "one")))
    let actions =
      switch end {
      case .cancelled: farm.handle(.jobRemoved(Self.a))
      case .failed: farm.handle(.attemptFailed(lease.token, decodeFailed))
      case .givenBack: farm.handle(.leaseGivenBack(lease.token))
      case .expired: farm.wait(.seconds(30))
      }
    let grants = actions.grants + farm.want("two", wait: .zero).grants
    #expect(grants.first?.segment.job == (end == .cancelled ? Self.b : Self.a))
    #expect(grants.count == 1)
    let token = try #require(grants.first?.token)
    farm.handle(.chunkAccepted(token))
    #expect(progress(farm, Self.b)?.completed == 1)
  }

  @Test func `a job that is added while its content is rendered waits too`() throws {
    var farm = try farm([10], [7])
    let lease = try farm.lease("one")
    let other = try farm.lease("two")
    #expect(other.segment.job == Self.b)
    try farm.addJob("c", order: 3, contents: [10])
    #expect(farm.want("three", wait: .zero).grants.isEmpty)
    farm.handle(.chunkAccepted(lease.token))
    #expect(progress(farm, JobID(rawValue: "c"))?.completed == 1)
  }

  @Test func `a job that is added after its content was delivered gets it at once`() throws {
    var farm = try farm([10, 5], [7])
    let lease = try farm.lease("one")
    #expect(lease.segment == SegmentID(job: Self.a, index: 0))
    farm.handle(.chunkAccepted(lease.token))
    try farm.addJob("c", order: 3, contents: [10])
    #expect(progress(farm, JobID(rawValue: "c"))?.completed == 1)
  }

  @Test func `chunks of other libraries are not shared`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("one", fingerprint: "old")
    farm.addWorker("two", fingerprint: "new")
    try farm.addJob("a", order: 1, contents: [10])
    try farm.addJob("b", order: 2, contents: [20, 10])
    let first = try farm.lease("one")
    #expect(first.segment.job == Self.a)
    let second = try farm.lease("two")
    #expect(second.segment == SegmentID(job: Self.b, index: 0))
    // Job b is now bound to other libraries, and does not wait for the chunk of job a.
    #expect(try farm.lease("two").segment == SegmentID(job: Self.b, index: 1))
    farm.handle(.chunkAccepted(first.token))
    #expect(progress(farm, Self.b)?.completed == 0)
  }

  @Test func `jobs share segments only within their audience`() throws {
    var farm = try SimulatedFarm()
    for worker in ["one", "two", "three"] { farm.addWorker(worker) }
    try farm.addJob("a", order: 1, contents: [10], audience: .submitter("ada"))
    try farm.addJob("b", order: 2, contents: [10], audience: .submitter("bob"))
    try farm.addJob("c", order: 3, contents: [10], audience: .submitter("ada"))
    let first = try farm.lease("one")
    #expect(first.segment.job == Self.a)
    let second = try farm.lease("two")
    #expect(second.segment.job == Self.b)
    #expect(farm.want("three", wait: .zero).grants.isEmpty, "job c waits for the chunk of job a")
    farm.handle(.chunkAccepted(second.token))
    #expect(progress(farm, JobID(rawValue: "c"))?.completed == 0)
    farm.handle(.chunkAccepted(first.token))
    #expect(progress(farm, JobID(rawValue: "c"))?.completed == 1)
  }

  @Test func `segments with unknown contents are all rendered`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("one")
    farm.addJob("a", order: 1, frames: [10])
    farm.addJob("b", order: 2, frames: [10])
    #expect(try farm.lease("one").segment.job == Self.a)
    #expect(try farm.lease("one").segment.job == Self.b)
  }

  @Test func `a job's contents may become known later`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("one")
    farm.addJob("a", order: 1, frames: [10])
    farm.addJob("b", order: 2, frames: [10])
    let lease = try farm.lease("one")
    for job in [Self.a, Self.b] { farm.handle(.contentsKnown(job, [try .numbered(10)])) }
    #expect(farm.want("one", wait: .zero).grants.isEmpty)
    farm.handle(.chunkAccepted(lease.token))
    #expect(progress(farm, Self.b)?.completed == 1)
  }

  @Test func `a shared chunk that is bad is rendered again`() throws {
    var farm = try farm([10], [10])
    let lease = try farm.lease("one")
    farm.handle(.chunkAccepted(lease.token))
    let shared = SegmentID(job: Self.b, index: 0)
    #expect(farm.handle(.chunkRefused(shared, decodeFailed)).contains(.dropChunk(shared, nil)))
    #expect(try farm.lease("two").segment == shared)
  }

  /// A farm in which a chunk is given to two segments in an event, and one of job a's six identical segments is leased.
  private func slicedFarm() throws -> (farm: SimulatedFarm, lease: Grant) {
    var farm = SimulatedFarm(try SchedulerSettings(sharingSlice: 2))
    for worker in ["one", "two"] { farm.addWorker(worker) }
    try farm.addJob("a", order: 1, contents: Array(repeating: 10, count: 6))
    let lease = try farm.lease("one")
    return (farm, lease)
  }

  @Test func `many identical segments get a chunk in slices`() throws {
    var (farm, lease) = try slicedFarm()
    farm.handle(.chunkAccepted(lease.token))
    #expect(progress(farm, Self.a)?.completed == 3)
    #expect(farm.want("two", wait: .zero).grants.isEmpty, "the others are not rendered meanwhile")
    var actions: [Action] = []
    for _ in 0..<3 { actions += farm.wait(.milliseconds(1)) }
    #expect(progress(farm, Self.a)?.completed == 6)
    #expect(actions.contains(.finishRendering(Self.a)))
  }

  @Test func `segments are rendered if their chunk is withdrawn between two slices`() throws {
    var (farm, lease) = try slicedFarm()
    farm.handle(.chunkAccepted(lease.token))
    for index in 0..<6 { farm.handle(.chunkForgotten(SegmentID(job: Self.a, index: index))) }
    farm.wait(.milliseconds(1))
    #expect(progress(farm, Self.a)?.completed == 0)
    #expect(try farm.lease("two").segment.job == Self.a)
  }

  @Test func `a shared chunk that is missing is not shared again in later slices`() throws {
    var (farm, lease) = try slicedFarm()
    farm.handle(.chunkAccepted(lease.token))
    farm.handle(.chunkRefused(SegmentID(job: Self.a, index: 1), decodeFailed))
    farm.wait(.milliseconds(1))
    #expect(progress(farm, Self.a)?.completed == 2)
    let next = try farm.lease("two")
    farm.handle(.chunkAccepted(next.token))
    for _ in 0..<3 { farm.wait(.milliseconds(1)) }
    #expect(progress(farm, Self.a)?.completed == 6)
  }

  @Test func `a job that is cancelled between two slices gets no more chunks`() throws {
    var (farm, lease) = try slicedFarm()
    farm.handle(.chunkAccepted(lease.token))
    farm.handle(.jobRemoved(Self.a))
    try farm.addJob("b", order: 2, contents: [10, 10])
    farm.wait(.milliseconds(1))
    #expect(progress(farm, Self.b)?.completed == 0)
    #expect(try farm.lease("two").segment.job == Self.b)
  }
}
