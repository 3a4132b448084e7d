import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import Timeline
import sheaf_coordinator

/// Jobs whose assets are on servers that send little or nothing, and other jobs at the same time.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SlowFetchTests {
  private let site: FetchSite

  init() throws { site = try FetchSite() }

  @Test func `a fetch from a server that is too slow fails and names the URL`() async throws {
    let piece = [UInt8](repeating: 7, count: 2048)
    let slow = try ScriptedServer { connection in
      guard connection.request() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
      // Twenty times as fast as a connection that is dropped for being stalled.
      while connection.send(piece) {
        pause(for: .milliseconds(100), because: "the subject is the rate in real time")
      }
    }
    defer { slow.close() }
    var sources = try site.sources()
    sources.origins = [try #require(AssetOrigin(slow.origin))]
    sources.pace.grace = .seconds(1)
    sources.pace.bytesPerSecond = 100_000
    let farm = try await TestFarm(sources: sources)
    let done = try await farm.end(of: site.submit("\(slow.origin)/file", to: farm))
    #expect(done.failure?.code == "asset-unreachable")
    let message = done.failure?.message ?? ""
    let reason = "the average download rate is below 100000 bytes per second"
    #expect(
      message.hasPrefix("assets.beach.url: beach: \(slow.origin)/file: \(reason)"), "\(message)")
  }

  @Test func `a submitter whose servers stall leaves other submitters a slot for fetching`()
    async throws
  {
    let farm = try await TestFarm(sources: site.sources(), access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    var waiting: [JobStatus] = []
    for _ in 0..<5 {
      waiting.append(try await site.submit("\(site.server.origin)/stalled", as: ada))
    }
    try await eventually("three fetches have started") { site.server.requests.count >= 3 }
    let submitted = try await site.submit("\(site.server.origin)/file", as: bob)
    let job: JobStatus = try await eventually("the job is planned") {
      try await bob.send(.get, "/jobs/\(submitted.id)").wire()
    } satisfies: {
      ![.queued, .planning].contains($0.state)
    }
    #expect(job.state == .rendering, "\(job.failure?.message ?? "")")
    for other in waiting {
      let response = try await ada.send(.post, "/jobs/\(other.id)/cancel")
      #expect(response.status == .ok, "the job had ended before")
    }
  }

  @Test func `jobs that fetch many files do not hold up a job whose files are already there`()
    async throws
  {
    let farm = try await TestFarm(sources: site.sources())
    // A job with this many files needs a place in memory for planning and for finishing.
    let count = 100
    let urls = (0..<count).map { "\(site.server.origin)/stalled?\($0)" }
    var waiting: [JobStatus] = []
    for _ in 0..<3 { waiting.append(try await site.submit(sequenceOf: urls, [:], to: farm)) }
    try await eventually("all jobs but one have started a fetch") {
      site.server.requests.count >= waiting.count - 1
    }
    let asset = try await farm.upload(FetchSite.bytes)
    let names = (0..<count).map { "\(String(repeating: "n", count: 100))-\($0).mp4" }
    let assets = Dictionary(uniqueKeysWithValues: names.map { ($0, asset) })
    let done = try await site.finish(site.submit(sequenceOf: names, assets, to: farm), on: farm)
    #expect(done.state == .completed, "\(done.failure?.message ?? "")")
    for other in waiting {
      let response = try await farm.send(.post, "/jobs/\(other.id)/cancel")
      #expect(response.status == .ok, "the job had ended before")
    }
  }
}
