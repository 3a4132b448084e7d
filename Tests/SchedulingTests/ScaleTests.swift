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
      for grant in running {
        farm.handle(.heartbeat(grant.token, framesRendered: 50))
        completed += farm.handle(.chunkAccepted(grant.token)).ended.count { $0 == .completed }
        free.append(grant.worker.rawValue)
      }
      running = []
    }
    #expect(farm.scheduler.progress(of: job)?.segments.completed == 10_000)
  }
}
