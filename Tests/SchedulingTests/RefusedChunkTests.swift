import FarmAPI
import Scheduling
import Support
import Testing

/// Chunks that were accepted and turned out to be bad.
@Suite(.mayBlock) struct RefusedChunkTests {
  private let bad = FailureReport(
    code: "bad-chunk", message: "the chunk has no frames", isPermanent: true)

  @Test func `the segment of a bad chunk is rendered again, by another worker if possible`()
    throws
  {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    for worker in ["a", "b"] { farm.addWorker(worker) }
    let grant = try farm.lease("a")
    farm.handle(.chunkAccepted(grant.token))
    let actions = farm.handle(.chunkRefused(grant.segment, bad))
    guard case .dropChunk(grant.segment, let attempt?) = try #require(actions.first) else {
      Issue.record("the chunk is not dropped")
      return
    }
    #expect(attempt.worker == grant.worker)
    #expect(farm.scheduler.progress(of: job)?.segments.pending == 1)
    #expect(farm.want("a", wait: .zero).grants.isEmpty)
    let again = try farm.lease("b")
    #expect(farm.handle(.chunkAccepted(again.token)).contains(.finishRendering(job)))
  }

  @Test func `bad chunks from three distinct workers fail the job`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    var failures: [JobFailure] = []
    for worker in ["a", "b", "c"] {
      farm.addWorker(worker)
      let grant = try farm.lease(worker)
      farm.handle(.chunkAccepted(grant.token))
      failures += farm.handle(.chunkRefused(grant.segment, bad)).jobFailures
    }
    #expect(
      failures == [
        JobFailure(
          code: "bad-chunk",
          message: "segment 0 (frames 0..<10): host-a, host-b, host-c: the chunk has no frames")
      ])
  }

  @Test func `a worker whose accepted chunks are bad is set aside`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 10, 10, 10])
    for worker in ["a", "b"] { farm.addWorker(worker) }
    for _ in 0..<3 {
      let grant = try farm.lease("a")
      farm.handle(.chunkAccepted(grant.token))
      farm.handle(.chunkRefused(grant.segment, bad))
    }
    let worker = WorkerID(rawValue: "a")
    #expect(farm.scheduler.status(of: worker, at: farm.now)?.state == .setAside)
  }

  @Test func `a chunk that was not accepted cannot be refused`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    let segment = SegmentID(job: job, index: 0)
    #expect(farm.handle(.chunkRefused(segment, bad)).isEmpty)
  }
}
