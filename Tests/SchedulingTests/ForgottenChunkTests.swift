import FarmAPI
import Scheduling
import Support
import Testing

/// Chunks that were accepted and are no longer trusted.
@Suite(.mayBlock) struct ForgottenChunkTests {
  @Test func `a segment with a forgotten chunk is rendered again, without blame`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 10])
    farm.addWorker("a")
    for _ in 0..<2 { farm.handle(.chunkAccepted(try farm.lease("a").token)) }
    for _ in 0..<20 {
      let actions = farm.handle(.chunkForgotten(SegmentID(job: job, index: 1)))
      #expect(actions == [.forgetChunk(SegmentID(job: job, index: 1))])
      #expect(farm.scheduler.progress(of: job)?.segments.pending == 1)
      #expect(farm.scheduler.progress(of: job)?.framesRendered == 10)
      let again = try farm.lease("a")
      #expect(again.segment.index == 1)
      #expect(farm.handle(.chunkAccepted(again.token)).contains(.finishRendering(job)))
    }
  }

  @Test func `forgetting a chunk has no effect on a segment without one`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 10])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    #expect(farm.handle(.chunkForgotten(grant.segment)).isEmpty)
    #expect(farm.handle(.chunkForgotten(SegmentID(job: job, index: 1))).isEmpty)
    #expect(farm.handle(.chunkForgotten(SegmentID(job: job, index: 9))).isEmpty)
    #expect(farm.scheduler.progress(of: job)?.segments.leased == 1)
  }

  @Test func `a job that loses its last chunk may use other libraries`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    farm.addWorker("a")
    farm.addWorker("b", fingerprint: "other")
    let grant = try farm.lease("a")
    farm.handle(.chunkAccepted(grant.token))
    let actions = farm.handle(.chunkForgotten(grant.segment))
    #expect(actions == [.forgetChunk(grant.segment), .fixFingerprint(job, nil)])
    #expect(try farm.lease("b").segment == grant.segment)
  }
}
