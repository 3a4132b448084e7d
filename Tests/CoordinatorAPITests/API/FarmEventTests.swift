import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing

/// The event stream of all jobs.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct FarmEventTests {
  private func events(of farm: TestFarm) async throws -> AsyncStream<ServerSentEvent> {
    let response = try await farm.send(.get, "/events")
    guard case .events(let events, _) = response.body else {
      throw HTTPError(.internalServerError, detail: "the response has no events")
    }
    return events
  }

  private func status(_ event: ServerSentEvent) throws -> JobStatus {
    try FarmCoding.decode(JobStatus.self, from: Data(event.data.utf8))
  }

  @Test func `a stream begins with the current state of each job, followed by its changes`()
    async throws
  {
    let farm = try await TestFarm()
    var jobs: [String] = []
    for _ in 0..<120 { jobs.append(try await farm.submit().id) }
    let events = try await events(of: farm)
    var first: [JobStatus] = []
    for await event in events.prefix(60) { first.append(try status(event)) }
    // The stream has not reached the last job yet.
    let last = try #require(jobs.last)
    for id in jobs {
      #expect(try await farm.send(.post, "/jobs/\(id)/cancel").status == .ok)
    }
    for await event in events.prefix(60) { first.append(try status(event)) }
    #expect(first.map(\.id) == jobs)
    #expect(first.first?.state != .cancelled)
    #expect(first.last?.state == .cancelled)

    var left = Set(jobs[..<60])
    for await event in events {
      let status = try status(event)
      #expect(status.id != last || status.state == .cancelled)
      if status.state == .cancelled { left.remove(status.id) }
      if left.isEmpty { break }
    }
  }

  @Test func `a stream also begins with unfinished jobs older than the last hundred jobs`()
    async throws
  {
    let farm = try await TestFarm()
    let oldest = try await [farm.submit().id, farm.submit().id]
    #expect(try await farm.send(.post, "/jobs/\(oldest[0])/cancel").status == .ok)
    var jobs: [String] = []
    for _ in 0..<100 {
      let id = try await farm.submit().id
      #expect(try await farm.send(.post, "/jobs/\(id)/cancel").status == .ok)
      jobs.append(id)
    }
    var first: [String] = []
    let events = try await events(of: farm)
    for await event in events.prefix(101) { first.append(try status(event).id) }
    #expect(first == [oldest[1]] + jobs)
  }
}
