import FarmAPI
import Scheduling
import Support
import Testing

/// Attempts that make no progress although heartbeats arrive.
@Suite(.mayBlock) struct StuckTests {
  private func beat(
    _ grant: Grant, frames: Int, for duration: Duration, in farm: inout SimulatedFarm
  )
    -> [Action]
  {
    var actions: [Action] = []
    for _ in 0..<(duration.components.seconds / 5) {
      farm.now = farm.now + .seconds(5)
      actions += farm.handle(.heartbeat(grant.token, framesRendered: frames))
    }
    return actions
  }

  @Test func `a worker without progress loses its lease and is told to stop`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    #expect(beat(grant, frames: 7, for: .seconds(120), in: &farm).ended.isEmpty)
    let actions = beat(grant, frames: 7, for: .seconds(10), in: &farm)
    guard case .stuck(let report) = try #require(actions.ended.first) else {
      Issue.record("it ended otherwise")
      return
    }
    #expect(report.code == "stuck")
    #expect(report.message.contains("frame 7 of 100"))
    #expect(actions.last == .answerHeartbeat(grant.token, stop: true))
    #expect(farm.scheduler.progress(of: job)?.segments.pending == 1)
  }

  @Test func `progress keeps a lease however long it takes`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    for frames in 1...20 {
      #expect(beat(grant, frames: frames, for: .seconds(100), in: &farm).ended.isEmpty)
    }
  }

  @Test func `an arriving chunk keeps a lease`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    for _ in 0..<20 {
      #expect(beat(grant, frames: 100, for: .seconds(500), in: &farm).ended.isEmpty)
      farm.handle(.chunkArriving(grant.token))
    }
  }

  @Test func `a segment that is expected to take long may pause for longer`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100, 100])
    for worker in ["a", "b"] { farm.addWorker(worker) }
    let first = try farm.lease("a")
    let second = try farm.lease("b")
    // 100 frames take 100 s, so up to four times as long may pass without a frame.
    for frames in 1...10 {
      _ = beat(second, frames: 1, for: .seconds(5), in: &farm)
      _ = beat(first, frames: 10 * frames, for: .seconds(5), in: &farm)
    }
    farm.handle(.chunkAccepted(first.token))
    #expect(beat(second, frames: 1, for: .seconds(290), in: &farm).ended.isEmpty)
    #expect(beat(second, frames: 1, for: .seconds(20), in: &farm).ended.count == 1)
  }

  /// Sends heartbeats of a worker that waits for assets, every 5 s.
  ///
  /// - Parameter bytesPerBeat: the number of asset bytes that arrive between two heartbeats.
  private func waitForAssets(
    _ grant: Grant, for duration: Duration, bytesPerBeat: Int64 = 0, in farm: inout SimulatedFarm
  ) -> [Action] {
    var actions: [Action] = []
    for number in 1...(duration.components.seconds / 5) {
      farm.now = farm.now + .seconds(5)
      actions += farm.handle(
        .heartbeat(
          grant.token, framesRendered: 0, assetBytes: number * bytesPerBeat, waitsForAssets: true))
    }
    return actions
  }

  @Test func `arriving asset bytes keep a lease`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    #expect(
      waitForAssets(grant, for: .seconds(1500), bytesPerBeat: 1, in: &farm).ended.isEmpty)
    #expect(beat(grant, frames: 1, for: .seconds(100), in: &farm).ended.isEmpty)
  }

  @Test func `missing asset bytes end a lease, but count against neither segment nor worker`()
    throws
  {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100])
    farm.addWorker("a")
    for _ in 0..<20 {
      let grant = try farm.lease("a")
      let actions = waitForAssets(grant, for: .seconds(125), in: &farm)
      #expect(actions.ended == [.heldUp(.seconds(120))])
      #expect(actions.last == .answerHeartbeat(grant.token, stop: true))
      #expect(actions.jobFailures.isEmpty)
      #expect(farm.scheduler.progress(of: job)?.segments.pending == 1)
    }
    let worker = farm.scheduler.status(of: WorkerID(rawValue: "a"), at: farm.now)
    #expect(worker?.segmentsFailed == 0)
    #expect(worker?.state == .active)
  }

  @Test func `another worker gets a segment whose assets did not arrive`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100])
    farm.addWorker("a")
    let first = try farm.lease("a")
    #expect(waitForAssets(first, for: .seconds(125), in: &farm).ended.count == 1)
    farm.addWorker("b")
    #expect(farm.want("a", wait: .zero).grants.isEmpty)
    let second = try farm.lease("b")
    #expect(waitForAssets(second, for: .seconds(125), in: &farm).ended.count == 1)
    // Every worker has already tried.
    #expect(try farm.lease("a").attempt == 3)
  }

  @Test func `asset bytes alone keep a lease for at most half an hour`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    #expect(
      waitForAssets(grant, for: .seconds(1900), bytesPerBeat: 1, in: &farm).ended.isEmpty)
    let actions = waitForAssets(grant, for: .seconds(100), bytesPerBeat: 1000, in: &farm)
    guard case .heldUp = try #require(actions.ended.first) else {
      Issue.record("it ended otherwise")
      return
    }
  }

  @Test func `a segment on which three workers get stuck fails its job`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100])
    var failures: [JobFailure] = []
    for worker in ["a", "b", "c"] {
      farm.addWorker(worker)
      let grant = try farm.lease(worker)
      failures += beat(grant, frames: 0, for: .seconds(125), in: &farm).jobFailures
    }
    #expect(failures.map(\.code) == ["stuck"])
  }
}
