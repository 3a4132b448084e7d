import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Planning
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// The state of the whole farm and of its workers.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct FarmRouteTests {
  private static let date = Date(timeIntervalSince1970: 1_900_000_000)

  @Test func `the farm's state counts jobs, segments and workers, and measures the disk`()
    async throws
  {
    let calendar = Mutex(Self.date)
    let farm = try await TestFarm(calendar: { calendar.withLock { $0 } })
    calendar.withLock { $0 += 60 }
    let worker = try await farm.register()
    let done = try await farm.finish(farm.submit(), by: worker)
    #expect(done.state == .completed)
    let job = try await farm.submit()
    let lease = try await farm.lease(worker)
    let count = try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.total
    let status: FarmStatus = try await farm.get("/farm")
    #expect(status.version == SheafVersion.current)
    #expect(status.jobs.completed == 1 && status.jobs.rendering == 1 && status.jobs.queued == 0)
    #expect(status.segments.leased == 1 && status.segments.pending == count - 1)
    #expect(status.workers.active == 1 && status.slots == 1 && status.slotsBusy == 1)
    #expect(status.desiredWorkers == count)
    #expect(status.startedAt == Self.date && status.now == Self.date + 60)
    let disk = try #require(status.disk)
    #expect(disk.free > 0 && disk.free <= disk.total && disk.reserve > 0)
    let stores = try #require(status.stores)
    #expect(stores.assets == 6 && stores.chunks > 0)
    #expect(stores.outputs == done.output?.byteCount)
    #expect(status.search?.damagedFiles == 0)
    #expect(try await farm.deliver(lease).status == .ok)
  }

  @Test func `the history begins empty, and its ranges have different intervals`() async throws {
    let farm = try await TestFarm()
    let hour: FarmHistory = try await farm.get("/farm/history")
    #expect(hour.interval == 30 && hour.points.isEmpty)
    let day: FarmHistory = try await farm.get("/farm/history?range=day")
    #expect(day.interval == 600 && day.points.isEmpty)
    #expect(try await farm.send(.get, "/farm/history?range=year").problem() == .malformedRequest)
  }

  @Test func `a worker is listed with its host and what it renders`() async throws {
    let directory = try TemporaryDirectory()
    let id: String
    do {
      let farm = try await TestFarm(in: directory, ledger: .onDisk, calendar: { Self.date })
      let registration = WorkerRegistration(
        name: "rack", slots: 2, fingerprint: "x264", host: "rack-1.example.org", cores: 8,
        version: "0.9.0")
      id = try await farm.post("/workers", registration).wire(as: WorkerWelcome.self).id
      let job = try await farm.submit(name: "film")
      let lease = try await farm.lease(id)
      let beat = try await farm.send(
        .put, "/leases/\(lease.token)", body: FarmCoding.encode(Heartbeat(framesRendered: 3)))
      #expect(beat.status == .ok)
      let worker = try #require(try await farm.get("/workers", as: [WorkerStatus].self).first)
      #expect(worker.host == "rack-1.example.org" && worker.cores == 8)
      #expect(worker.version == "0.9.0")
      #expect(
        worker.rendering == [
          WorkerStatus.Rendering(
            job: job.id, jobName: "film", segment: lease.segment, framesRendered: 3,
            frameCount: lease.description.frameCount)
        ])
      let seen = try #require(worker.lastSeenAt)
      // Responses state dates in whole seconds.
      #expect(
        seen.formatted(.iso8601) == (Self.date - worker.secondsSinceSeen).formatted(.iso8601))
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    let farm = try await TestFarm(in: directory, ledger: .onDisk)
    let worker = try #require(try await farm.get("/workers", as: [WorkerStatus].self).first)
    #expect(worker.id == id && worker.host == "rack-1.example.org" && worker.cores == 8)
    #expect(worker.version == "0.9.0")
    await farm.coordinator.stop()
  }

  @Test func `a worker's progress is an event`() async throws {
    let farm = try await TestFarm()
    let worker = try await farm.register()
    _ = try await farm.submit()
    let lease = try await farm.lease(worker)
    guard case .events(let events, _) = try await farm.send(.get, "/events").body else {
      Issue.record("the response has no events")
      return
    }
    let beat = try await farm.send(
      .put, "/leases/\(lease.token)", body: FarmCoding.encode(Heartbeat(framesRendered: 4)))
    #expect(beat.status == .ok)
    let event = await events.first {
      $0.event == "worker" && $0.data.contains("\"framesRendered\":4")
    }
    #expect(event != nil)
  }
}
