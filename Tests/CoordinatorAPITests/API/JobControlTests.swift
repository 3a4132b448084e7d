import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Reordering and deleting jobs.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct JobControlTests {
  private func prioritize(_ job: JobStatus, _ priority: Int, on farm: TestFarm) async throws
    -> Response
  {
    try await farm.send(
      .put, "/jobs/\(job.id)/priority", body: FarmCoding.encode(JobPriority(priority: priority)))
  }

  private func files(_ folder: String, of farm: TestFarm) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: farm.directory.path("data/\(folder)"))
      .filter { $0.utf8.count > 2 }
  }

  @Test func `a job with a raised priority is rendered next`() async throws {
    let farm = try await TestFarm()
    let first = try await farm.submit()
    let worker = try await farm.register()
    #expect(try await farm.lease(worker).job == first.id)
    let second = try await farm.submit()
    try await farm.wait(for: second, until: .rendering)
    let raised: JobStatus = try await prioritize(second, 7, on: farm).wire()
    #expect(raised.priority == 7)
    #expect(try await farm.lease(worker).job == second.id)
    let normal: JobStatus = try await prioritize(second, 0, on: farm).wire()
    #expect(normal.priority == nil)
    #expect(try await farm.lease(worker).job == first.id)
  }

  @Test func `a changed priority applies after a restart`() async throws {
    let directory = try TemporaryDirectory()
    let second: JobStatus
    let worker: String
    do {
      let farm = try await TestFarm(in: directory, ledger: .onDisk)
      worker = try await farm.register()
      try await farm.wait(for: farm.submit(), until: .rendering)
      second = try await farm.submit()
      try await farm.wait(for: second, until: .rendering)
      #expect(try await prioritize(second, 1, on: farm).status == .ok)
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    let farm = try await TestFarm(in: directory, ledger: .onDisk)
    #expect(try await farm.get("/jobs/\(second.id)", as: JobStatus.self).priority == 1)
    #expect(try await farm.lease(worker).job == second.id)
    await farm.coordinator.stop()
  }

  @Test func `a priority is refused if it is out of range or its job has ended`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    for priority in [-101, 101] {
      #expect(try await prioritize(job, priority, on: farm).problem() == .malformedRequest)
    }
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    #expect(try await prioritize(job, 1, on: farm).problem() == .wrongState)
  }

  @Test func `a deleted job is gone with its file, and the log names who deleted it`()
    async throws
  {
    let lines = Mutex<[String]>([])
    let farm = try await TestFarm(
      security: .secured, log: Log(.normal) { line in lines.withLock { $0.append(line) } })
    let worker = try await farm.register()
    let job = try await farm.finish(farm.submit(), by: worker)
    #expect(job.state == .completed)
    #expect(try files("outputs", of: farm) == ["\(job.id).mp4"])
    #expect(try await farm.send(.delete, "/jobs/\(job.id)").status == .noContent)
    #expect(try files("outputs", of: farm) == [])
    for path in ["/jobs/\(job.id)", "/jobs/\(job.id)/output", "/jobs/\(job.id)/events"] {
      #expect(try await farm.send(.get, path).status == .notFound)
    }
    #expect(try await farm.send(.delete, "/jobs/\(job.id)").status == .notFound)
    #expect(try await farm.get("/jobs", as: [JobStatus].self).isEmpty)
    let line = lines.withLock { $0.first { $0.contains("deleted") } }
    #expect(line?.contains("cut (completed) deleted") == true, "\(line ?? "")")
    #expect(line?.contains("job=\(job.id) caller=anna\n") == true, "\(line ?? "")")
  }

  @Test func `an unfinished job is not deleted`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    #expect(try await farm.send(.delete, "/jobs/\(job.id)").problem() == .wrongState)
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state != .cancelled)
  }

  @Test func `a deleted job leaves the chunks that other jobs need`() async throws {
    var storage = StorageSettings()
    storage.chunkBytes = 0
    let farm = try await TestFarm(storage: storage)
    let worker = try await farm.register()
    let jobs = [try await farm.submit(), try await farm.submit()]
    // Both jobs have the chunk of segment 0, and the first one has another chunk as well.
    for job in jobs {
      try await farm.wait(for: job, until: .rendering)
      while try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.completed
        < (job == jobs[0] ? 2 : 1)
      {
        #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
      }
      _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    }
    #expect(try files("chunks", of: farm).count == 2)
    let needed = try await farm.get("/jobs/\(jobs[1].id)", as: JobStatus.self).segments.completed
    #expect(try await farm.send(.delete, "/jobs/\(jobs[0].id)").status == .noContent)
    #expect(try files("chunks", of: farm).count == needed)
    #expect(try await farm.send(.delete, "/jobs/\(jobs[1].id)").status == .noContent)
    #expect(try files("chunks", of: farm) == [])
  }

  @Test func `watchers of a deleted job learn that it was removed`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    let bytes = Data("a clip".utf8)
    let asset = AssetReference(digest: .of(bytes), byteCount: Int64(bytes.count))
    #expect(try await ada.upload(bytes).status == .created)
    #expect(try await bob.upload(bytes).status == .created)
    let job: JobStatus = try await ada.submit(asset).wire()
    let other: JobStatus = try await bob.submit(asset).wire()
    for (holder, job) in [(ada, job), (bob, other)] {
      #expect(try await holder.send(.post, "/jobs/\(job.id)/cancel").status == .ok)
    }
    let (seen, hidden) = (try await ada.send(.get, "/events"), try await bob.send(.get, "/events"))
    #expect(try await ada.send(.delete, "/jobs/\(job.id)").status == .noContent)
    #expect(try await bob.send(.delete, "/jobs/\(other.id)").status == .noContent)
    for (response, job) in [(seen, job), (hidden, other)] {
      guard case .events(let events, _) = response.body else {
        Issue.record("the response has no events")
        return
      }
      // The other submitter's removal came first.
      let removal = await events.first { $0.event == "removed" }
      #expect(removal?.data == "{\"job\":\"\(job.id)\"}")
    }
  }
}
