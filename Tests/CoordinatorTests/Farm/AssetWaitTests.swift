import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// Workers that cannot get the assets that they need.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct AssetWaitTests {
  /// Sends heartbeats for a worker that waits for assets, until the worker is told to stop.
  private func wait(_ lease: Lease, on farm: TestFarm) async throws {
    let heartbeat = try FarmCoding.encode(
      Heartbeat(framesRendered: 0, assetBytes: 0, waitsForAssets: true))
    try await eventually("the worker is told to stop") {
      let response = try await farm.send(.put, "/leases/\(lease.token)", body: heartbeat)
      guard response.status == .ok else { return true }
      return try await response.wire(as: HeartbeatAnswer.self).stop
    }
  }

  @Test func `a job whose assets are delayed continues as soon as they arrive`() async throws {
    let farm = try await TestFarm(
      settings: SchedulerSettings(
        leaseDuration: .seconds(2), stuckAfter: .seconds(2), longestTransfer: .seconds(2)))
    let job = try await farm.submit()
    let worker = try await farm.register()
    // More often than the attempts at a segment may fail.
    try await eventually("seven leases are held up") {
      try await wait(farm.lease(worker), on: farm)
      return try await farm.metric("sheaf_leases_held_up_total") ?? 0
    } satisfies: {
      $0 >= 7
    }
    let status: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(status.state == .rendering)
    #expect(try await farm.get("/workers", as: [WorkerStatus].self).map(\.segmentsFailed) == [0])
    for _ in try await farm.segments(of: job) {
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
    }
    #expect(try await farm.end(of: job).state == .completed)
  }
}
