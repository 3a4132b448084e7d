import FarmAPI
import Scheduling
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock) struct WorkerMetricsTests {
  private func complete(_ meters: inout FarmMeters, by worker: String) {
    let grant = Grant(
      token: LeaseToken(rawValue: worker), worker: WorkerID(rawValue: worker),
      segment: SegmentID(job: JobID(rawValue: "a"), index: 0), attempt: 1)
    meters.ended(grant, .completed, by: worker, frames: 5, of: nil, at: Instant(.zero))
  }

  @Test func `the name of a worker that left is forgotten after a day`() {
    var meters = FarmMeters()
    for number in 0..<FarmMeters.workerLimit { complete(&meters, by: "w\(number)") }
    #expect(meters.name("new") == FarmMeters.otherWorkers)
    let end = Instant(.seconds(10)) + FarmMeters.workerMemory
    meters.forgetWorkers(besides: ["w7"], at: Instant(.seconds(10)))
    meters.forgetWorkers(besides: ["w7", "w8"], at: Instant(.seconds(20)))
    #expect(meters.name("new") == FarmMeters.otherWorkers)
    meters.forgetWorkers(besides: ["w7"], at: end)
    #expect(meters.name("new") == "new")
    for number in 9..<(FarmMeters.workerLimit + 7) { complete(&meters, by: "v\(number)") }
    #expect(meters.name("w7") == "w7" && meters.name("w8") == "w8")
    #expect(meters.name("w9") == FarmMeters.otherWorkers)
  }
}
