import FarmAPI
import Scheduling
import Support
import Testing

@Suite(.mayBlock) struct ScaleTests {
  @Test(arguments: [1, 1_000])
  func `a thousand workers render ten thousand segments`(ofSizes count: Int) throws {
    var farm = try SimulatedFarm()
    farm.addJob(
      frames: (0..<10_000).map { 100 + $0 % 60 },
      memory: (0..<10_000).map { (64 + $0 % count) << 20 })
    var free = (0..<1_000).map { "w\($0)" }
    for worker in free { farm.addWorker(worker, memory: 3 << 29) }
    var running: [Grant] = []
    var completed = 0
    while completed < 10_000 {
      while let worker = free.popLast() {
        guard let grant = farm.want(worker).grants.first else { break }
        running.append(grant)
      }
      try #require(!running.isEmpty, "no worker gets a segment after \(completed) of them")
      for grant in running {
        farm.handle(.heartbeat(grant.token, framesRendered: 50))
        completed += farm.handle(.chunkAccepted(grant.token)).ended.count { $0 == .completed }
        free.append(grant.worker.rawValue)
      }
      running = []
    }
    #expect(farm.scheduler.progress(of: job)?.segments.completed == 10_000)
  }

  @Test func `a thousand idle workers and a thousand jobs of an empty pool cost little`() throws {
    var farm = try SimulatedFarm()
    for worker in 0..<1_000 {
      farm.addWorker("w\(worker)")
      #expect(farm.want("w\(worker)").grants.isEmpty)
    }
    for job in 0..<1_000 { farm.addJob("job\(job)", order: job, frames: [10], pool: "gpu") }
    // Each event used to search every job for every waiting request.
    for _ in 0..<1_000 { farm.handle(.timePassed) }
    #expect(farm.scheduler.waitingCount == 1_000)
    farm.addWorker("w", pools: "gpu")
    #expect(try farm.lease("w").segment.job.rawValue == "job0")
  }
}
