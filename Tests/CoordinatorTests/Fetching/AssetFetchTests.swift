import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import Timeline
import sheaf_coordinator

/// Jobs whose assets are at URLs of a server on this host.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct AssetFetchTests {
  private let site: FetchSite

  init() throws { site = try FetchSite() }

  @Test(arguments: ["file", "chunked", "file?signature=a/b+c"])
  func `an asset from an allowed host is fetched and then treated like an upload`(
    path: String
  ) async throws {
    let farm = try await TestFarm(sources: site.sources())
    let url = "\(site.server.origin)/\(path)"
    let done = try await site.finish(site.submit(url, to: farm), on: farm)
    #expect(done.state == .completed, "\(done.failure?.message ?? "")")
    #expect(try await farm.send(.get, "/assets/\(FetchSite.digest)").content() == FetchSite.bytes)
    #expect(site.server.requests == ["/\(path)"])
    #expect(farm.media.probedNames == [try AssetURL(url).shown])
    try await site.waitUntilNothingIsLeft(by: farm)
  }

  @Test func `a retry fetches an asset again if it is damaged on disk`() async throws {
    let farm = try await TestFarm(sources: site.sources())
    let job = try await site.submit("\(site.server.origin)/file", to: farm)
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    try FileDamage.flipBit(of: farm.directory.stored(FetchSite.digest, in: "assets"), at: 2)
    let report = FailureReport(
      code: .damagedAsset, message: "beach: other bytes", isPermanent: false)
    #expect(try await farm.post("/leases/\(lease.token)/failure", report).status == .noContent)
    let failure = try #require(try await farm.end(of: job).failure)
    #expect(failure.code == "damaged-asset")
    #expect(
      failure.message.hasSuffix(
        ": make sure that its URL delivers the original file, and retry the job"),
      "\(failure.message)")
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    #expect(try await farm.lease(worker).job == job.id)
    #expect(site.server.requests == ["/file", "/file"])
  }

  @Test func `a sequence can mix URLs and files`() async throws {
    let farm = try await TestFarm(sources: site.sources())
    let file = try await farm.upload(Data("a clip".utf8))
    let url = "\(site.server.origin)/file"
    let text = """
      {"version": 1, "sequence": [
        {"clip": "\(url)"}, {"transition": "dissolve", "duration": 1}, {"clip": "a.mp4"},
        {"clip": "\(url.replacing("http", with: "HTTP"))"}]}
      """
    let job: JobStatus = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: text, assets: ["a.mp4": file])
    ).wire()
    let lease = try await farm.lease(farm.register())
    #expect(lease.job == job.id)
    #expect(site.server.requests == ["/file"])
  }

  @Test func `a project whose URLs are not allowed is refused, and the error names each`()
    async throws
  {
    let farm = try await TestFarm()
    let text = """
      {"version": 1, "sequence": [{"clip": "https://a.example.com/a.mp4?key=secret"},
        {"clip": "http://b.example.com/b.mp4"}]}
      """
    let response = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: text, assets: [:]))
    #expect(response.status == .unprocessableContent)
    let problem = try JSONDecoder().decode(ProblemDocument.self, from: await response.content())
    #expect(problem.type == ProblemType.assetNotAllowed.rawValue)
    let lines = problem.detail.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("http://b.example.com/b.mp4: fetching from ") == true)
    #expect(
      lines.last?.hasPrefix("https://a.example.com/a.mp4?…: fetching from ") == true)
  }

  @Test func `a host at a private address is refused by default`() async throws {
    let farm = try await TestFarm(sources: site.sources(isPrivate: false))
    let done = try await farm.end(of: site.submit("\(site.server.origin)/file", to: farm))
    #expect(done.failure?.code == "asset-not-allowed")
    #expect(
      done.failure?.message.hasPrefix(
        "assets.beach.url: beach: \(site.server.origin)/file: 127.0.0.1 has an address that is not public"
      )
        == true)
    #expect(site.server.requests.isEmpty)
  }

  @Test(arguments: [
    ("status/404", "asset-unreachable", "the server responded with 404 Not Found", 1),
    ("status/403?key=secret", "asset-unreachable", "the server responded with 403 Forbidden", 1),
    ("redirect", "asset-unreachable", "which is not followed", 1),
    ("endless", "asset-unreachable", "does not state the file's length", 1),
    ("large", "asset-too-large", "larger than the limit of 60000 bytes", 1),
    ("overflow", "asset-too-large", "larger than the limit of 60000 bytes", 1),
    ("truncated", "asset-unreachable", "25000 bytes remaining", 4),
  ])
  func `a job fails and names the URL if its asset cannot be fetched`(
    path: String, code: String, reason: String, tries: Int
  ) async throws {
    var limits = Limits()
    limits.assetBytes = 60_000
    let farm = try await TestFarm(sources: site.sources(), limits: limits)
    let url = "\(site.server.origin)/\(path)"
    let done = try await farm.end(of: site.submit(url, to: farm))
    #expect(done.state == .failed)
    #expect(done.failure?.code.rawValue == code)
    let message = done.failure?.message ?? ""
    #expect(
      message.hasPrefix("assets.beach.url: beach: \(try AssetURL(url).shown): "), "\(message)")
    #expect(message.contains(reason), "\(message)")
    #expect(!message.contains("secret"), "\(message)")
    #expect(site.server.requests.count == tries, "\(site.server.requests)")
    #expect(site.server.requests.allSatisfy { $0 == "/\(path)" })
    try await site.waitUntilNothingIsLeft(by: farm)
  }

  @Test func `a job with many failing URLs names some of them`() async throws {
    let farm = try await TestFarm(sources: site.sources())
    let urls = (0..<500).map {
      "\(site.server.origin)/status/404/\(String(repeating: "n", count: 50))\($0)"
    }
    let job = try await site.submit(sequenceOf: urls, [:], to: farm)
    _ = try await farm.end(of: job)
    let done: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(done.failure?.code == "asset-unreachable")
    let message = done.failure?.message ?? ""
    #expect(message.contains("the server responded with 404 Not Found"), "\(message)")
    #expect(message.contains("because too many other files failed"), "\(message)")
    #expect(site.server.requests.count < urls.count)
  }

  // MARK: Servers that do not answer

  @Test func `a job fails and names the URL if its host does not respond`() async throws {
    // The server is gone, so nothing listens on its port.
    let gone = try MediaServer(Data()).origin
    var sources = try site.sources()
    sources.origins = [try #require(AssetOrigin(gone))]
    let farm = try await TestFarm(sources: sources)
    let done = try await farm.end(of: site.submit("\(gone)/file", to: farm))
    #expect(done.failure?.code == "asset-unreachable")
    #expect(done.failure?.message.hasPrefix("assets.beach.url: beach: \(gone)/file: ") == true)
  }

  @Test func `a failure leaves out the query of a URL`() async throws {
    let said = FakeMedia.Failure(description: "\"http://host/a?key=secret\": broken")
    let farm = try await TestFarm(media: FakeMedia(failure: said), sources: site.sources())
    let done = try await farm.end(of: site.submit("\(site.server.origin)/file", to: farm))
    #expect(done.failure?.message == "\"http://host/a?…\": broken")
  }

  @Test func `a request to a busy server is retried`() async throws {
    let farm = try await TestFarm(sources: site.sources())
    let job = try await site.submit("\(site.server.origin)/busy", to: farm)
    #expect(try await farm.lease(farm.register()).job == job.id)
    #expect(site.server.requests == ["/busy", "/busy"])
  }

  @Test func `a server with an untrusted certificate is refused`() async throws {
    let folder = try TemporaryDirectory()
    let files = try Certificates(in: folder.path)
    let secure = try Server(
      ServerConfiguration(
        security: ServerSecurity(
          certificateFile: files.path("server.pem"), keyFile: files.path("server.key"))),
      router: Router())
    let origin = "https://127.0.0.1:\(secure.port)"
    var sources = try site.sources()
    sources.origins = [try #require(AssetOrigin(origin))]
    let farm = try await TestFarm(sources: sources)
    let done = try await farm.end(of: site.submit("\(origin)/file", to: farm))
    await secure.shutdown(grace: .zero)
    #expect(done.failure?.code == "asset-unreachable")
    #expect(done.failure?.message.contains("certificate") == true)
  }

  @Test func `a host name is resolved once, and later addresses are not used`() async throws {
    let other = try MediaServer(Data("other".utf8), address: "127.0.0.2", port: site.server.port)
    let asked = Mutex<[String]>([])
    var sources = try site.sources()
    sources.origins = [try #require(AssetOrigin("http://media.invalid:\(site.server.port)"))]
    sources.resolve = { host in
      let count = asked.withLock { asked in
        asked.append(host)
        return asked.count
      }
      return [InternetAddress(count == 1 ? "127.0.0.1" : "127.0.0.2")].compactMap(\.self)
    }
    let farm = try await TestFarm(sources: sources)
    let job = try await site.submit("http://media.invalid:\(site.server.port)/file", to: farm)
    let lease = try await farm.lease(farm.register())
    #expect(lease.job == job.id && lease.assets.map(\.digest) == [FetchSite.digest])
    #expect(asked.withLock { $0 } == ["media.invalid"])
    #expect(other.requests.isEmpty)
  }

  @Test func `a retried job keeps the bytes that it started with`() async throws {
    let farm = try await TestFarm(sources: site.sources())
    let job = try await site.submit("\(site.server.origin)/file", to: farm)
    _ = try await farm.lease(farm.register())
    try site.server.replace(by: Data("other".utf8))
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    let done = try await site.finish(job, on: farm)
    #expect(done.state == .completed)
    #expect(site.server.requests.count == 1)
  }

  @Test(arguments: [true, false])
  func `a missing fetched asset is fetched again, and its bytes must be the same`(isSame: Bool)
    async throws
  {
    let farm = try await TestFarm(sources: site.sources())
    let job = try await site.submit("\(site.server.origin)/file", to: farm)
    _ = try await farm.lease(farm.register())
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    try FileManager.default.removeItem(
      atPath: farm.directory.stored(FetchSite.digest, in: "assets"))
    if !isSame { try site.server.replace(by: Data("other".utf8)) }
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    if isSame {
      #expect(try await site.finish(job, on: farm).state == .completed)
    } else {
      let failure = try await farm.end(of: job).failure
      #expect(failure?.code == "asset-changed")
      #expect(
        failure?.message.hasPrefix(
          "\(site.server.origin)/file: the file changed after the job started: ") == true)
    }
    #expect(site.server.requests.count == 2)
  }

  @Test func `fetching more bytes than a submitter's limit fails the job`() async throws {
    var limits = Limits()
    limits.assetBytesPerSubmitter = 1
    let farm = try await TestFarm(sources: site.sources(), access: .tokens, limits: limits)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let body = try FarmCoding.encode(
      JobSubmission(name: "cut", project: site.project("\(site.server.origin)/file"), assets: [:]))
    let job: JobStatus = try await ada.send(.post, "/jobs", body: body).wire()
    let status = try await ada.end(of: job)
    #expect(status.failure?.code == "limit-reached")
    #expect(status.failure?.message.contains("--max-asset-bytes-per-submitter") == true)
    #expect(try await ada.send(.head, "/assets/\(FetchSite.digest)").status == .notFound)
  }

  @Test func `a fetched asset belongs to its submitter and counts toward its limit`() async throws {
    var limits = Limits()
    limits.assetsPerSubmitter = 1
    let farm = try await TestFarm(sources: site.sources(), access: .tokens, limits: limits)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    let body = try FarmCoding.encode(
      JobSubmission(name: "cut", project: site.project("\(site.server.origin)/file"), assets: [:]))
    let job: JobStatus = try await ada.send(.post, "/jobs", body: body).wire()
    let path = "/assets/\(FetchSite.digest)"
    try await eventually("the job renders") {
      try await ada.send(.get, "/jobs/\(job.id)").wire(as: JobStatus.self).state
    } satisfies: {
      $0 == .rendering
    }
    #expect(try await ada.send(.head, path).status == .ok)
    #expect(try await bob.send(.head, path).status == .notFound)
    let second: JobStatus = try await ada.send(.post, "/jobs", body: body).wire()
    let status = try await ada.end(of: second)
    #expect(status.failure?.code == "limit-reached")
  }

  @Test func `a job that is cancelled during a fetch leaves no partial file`() async throws {
    let farm = try await TestFarm(sources: site.sources())
    let job = try await site.submit("\(site.server.origin)/stalled", to: farm)
    try await eventually("the fetch starts") { !site.server.requests.isEmpty }
    #expect(try await farm.send(.post, "/jobs/\(job.id)/cancel").status == .ok)
    try await site.waitUntilNothingIsLeft(by: farm)
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state == .cancelled)
    #expect(try await farm.send(.head, "/assets/\(FetchSite.digest)").status == .notFound)
  }
}
