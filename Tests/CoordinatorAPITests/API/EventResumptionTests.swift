import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// Event streams that continue where an earlier one ended.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct EventResumptionTests {
  private func events(
    of farm: TestFarm, _ path: String = "/events", after id: String? = nil
  ) async throws -> AsyncStream<ServerSentEvent> {
    let headers: Headers = id.map { ["Last-Event-ID": $0] } ?? [:]
    let response = try await farm.send(.get, path, headers: headers)
    guard case .events(let events, _) = response.body else {
      throw HTTPError(.internalServerError, detail: "the response has no events")
    }
    return events
  }

  private func cancel(_ job: JobStatus, on farm: TestFarm) async throws {
    #expect(try await farm.send(.post, "/jobs/\(job.id)/cancel").status == .ok)
  }

  /// A farm with jobs whose plans are ready and whose changes have been sent, and the id of an event after them.
  private func settled(jobs count: Int) async throws -> (TestFarm, [JobStatus], String) {
    let farm = try await TestFarm()
    var jobs: [JobStatus] = []
    for _ in 0..<count { jobs.append(try await farm.submit()) }
    for job in jobs { try await farm.wait(for: job, until: .rendering) }
    let events = try await events(of: farm)
    var id: String?
    // Changes that are sent together have no order. All that came before the first marker are sent with it at the latest,
    // and therefore before the second one.
    for _ in 0..<2 {
      let marker = try await farm.submit(name: "marker")
      try await farm.wait(for: marker, until: .rendering)
      for await event in events where event.data.contains(marker.id) { break }
      try await cancel(marker, on: farm)
      for await event in events
      where event.data.contains(marker.id) && event.data.contains("\"cancelled\"") {
        id = event.id
        break
      }
    }
    return (farm, jobs, try #require(id))
  }

  @Test func `every event has an id, and the first one tells when to ask again`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let events = try await events(of: farm)
    try await cancel(job, on: farm)
    var retries: [Duration?] = []
    for await event in events {
      #expect(event.id?.isEmpty == false)
      retries.append(event.retry)
      if event.data.contains("\"cancelled\"") { break }
    }
    #expect(retries.first == .seconds(2))
    #expect(retries.dropFirst().allSatisfy { $0 == nil })
  }

  @Test func `a resumed stream begins with what has changed or gone since`() async throws {
    let (farm, jobs, id) = try await settled(jobs: 4)
    try await cancel(jobs[1], on: farm)
    try await cancel(jobs[2], on: farm)
    #expect(try await farm.send(.delete, "/jobs/\(jobs[1].id)").status == .noContent)
    var received: [String] = []
    let events = try await events(of: farm, after: id)
    for await event in events {
      received.append("\(event.event ?? "") \(event.data)")
      // The places of later jobs have changed too.
      if received.contains("removed {\"job\":\"\(jobs[1].id)\"}"),
        received.contains(where: { $0.hasPrefix("job") && $0.contains(jobs[2].id) })
      {
        break
      }
    }
    #expect(!received.contains { $0.contains(jobs[0].id) })
  }

  @Test(arguments: ["another run-3", "nonsense", "-"])
  func `an unknown id begins with everything`(id: String) async throws {
    let (farm, jobs, _) = try await settled(jobs: 2)
    let events = try await events(of: farm, after: id)
    var first: Set<String> = []
    for await event in events.prefix(3) {
      first.insert(try FarmCoding.decode(JobStatus.self, from: Data(event.data.utf8)).id)
    }
    #expect(first.isSuperset(of: jobs.map(\.id)))
  }

  @Test func `the stream of a job that has ended always has its state, and ends`() async throws {
    let (farm, jobs, _) = try await settled(jobs: 1)
    try await cancel(jobs[0], on: farm)
    var id: String?
    for _ in 0..<2 {
      let events = try await events(of: farm, "/jobs/\(jobs[0].id)/events", after: id)
      var states: [JobState] = []
      for await event in events {
        states.append(try FarmCoding.decode(JobStatus.self, from: Data(event.data.utf8)).state)
        id = event.id
      }
      #expect(states == [.cancelled])
    }
  }

  @Test func `an id continues the stream of a job without its unchanged state`() async throws {
    let (farm, jobs, id) = try await settled(jobs: 2)
    let events = try await events(of: farm, "/jobs/\(jobs[0].id)/events", after: id)
    try await cancel(jobs[0], on: farm)
    var states: [JobState] = []
    for await event in events {
      states.append(try FarmCoding.decode(JobStatus.self, from: Data(event.data.utf8)).state)
    }
    #expect(states == [.cancelled])
  }

  @Test func `a waiting job has a place among the others, which its watchers learn`() async throws {
    let farm = try await TestFarm()
    let first = try await farm.submit()
    try await farm.wait(for: first, until: .rendering)
    #expect(try await farm.get("/jobs/\(first.id)", as: JobStatus.self).position == nil)
    let second = try await farm.submit()
    let third = try await farm.submit()
    for job in [second, third] { try await farm.wait(for: job, until: .rendering) }
    for (place, job) in [first, second, third].enumerated() {
      #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).position == place + 1)
    }
    let events = try await events(of: farm, "/jobs/\(third.id)/events")
    _ = try await farm.lease(farm.register())
    var places: [Int?] = []
    for await event in events {
      places.append(try FarmCoding.decode(JobStatus.self, from: Data(event.data.utf8)).position)
      if places.last == 2 { break }
    }
    #expect(places.last == 2)
    #expect(try await farm.get("/jobs/\(first.id)", as: JobStatus.self).position == nil)
  }
}
