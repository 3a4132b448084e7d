import CoordinatorSupport
import FarmAPI
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock) struct HeartbeatIntervalTests {
  @Test func `the more workers there are, the more rarely each sends a heartbeat`() {
    let expected: [(workers: Int, interval: Duration)] = [
      (1, .seconds(2)), (1000, .seconds(2)), (3000, .seconds(6)), (100_000, .seconds(10)),
    ]
    for (workers, interval) in expected {
      #expect(GrantedLease.heartbeatInterval(ofWorkers: workers, lease: .seconds(30)) == interval)
    }
    #expect(GrantedLease.heartbeatInterval(ofWorkers: 5000, lease: .seconds(3)) == .seconds(1))
  }

  @Test func `each lease states the interval for the number of workers at that time`() async throws
  {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let worker = try await farm.register()
    #expect(try await farm.lease(worker).heartbeatMilliseconds == 2000)
    for _ in 1..<1500 { _ = try await farm.register() }
    #expect(try await farm.lease(worker).heartbeatMilliseconds == 3000)
  }
}
