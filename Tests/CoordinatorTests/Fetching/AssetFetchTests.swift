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
@Suite(.timeLimit(.minutes(5))) struct AssetFetchTests {
  private static let bytes = Data(
    (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
  private static let digest = Digest.of(bytes)
  private let server: MediaServer

  init() throws { server = try MediaServer(Self.bytes) }

  private func sources(isPrivate: Bool = true) throws -> AssetSources {
    var sources = AssetSources()
    sources.origins = [try #require(AssetOrigin(server.origin))]
    sources.allowsPrivateAddresses = isPrivate
    return sources
  }

  private func project(_ url: String) -> String {
    """
    {"version": 1, "assets": {"beach": {"url": "\(url)"}}, "composition": {"tracks": [
      {"id": 1, "mediaType": "video", "segments": [
        {"asset": "beach", "source": {"start": 0, "duration": 10},
         "target": {"start": 0, "duration": 10}}]}]}}
    """
  }

  private func submit(_ url: String, to farm: TestFarm) async throws -> JobStatus {
    let submission = JobSubmission(name: "cut", project: project(url), assets: [:])
    return try await farm.post("/jobs", submission).wire()
  }

  /// Waits until there is no file of a fetch any more; the suite's time limit is the bound.
  private func waitUntilNothingIsLeft(by farm: TestFarm) async throws {
    let uploads = farm.directory.path("data/uploads")
    while try !FileManager.default.contentsOfDirectory(atPath: uploads).isEmpty {
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Renders a job whose segments are all pending.
  private func finish(_ job: JobStatus, on farm: TestFarm) async throws -> JobStatus {
    let worker = try await farm.register()
    repeat {
      let lease = try await farm.lease(worker)
      #expect(lease.assets.map(\.digest) == [Self.digest])
      #expect(try await farm.deliver(lease).status == .ok)
    } while try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.pending > 0
    return try await farm.end(of: job)
  }

  @Test(arguments: ["file", "chunked", "file?signature=a/b+c"])
  func `an asset is fetched from an allowed host, and then as if it had been uploaded`(
    path: String
  ) async throws {
    let farm = try await TestFarm(sources: sources())
    let url = "\(server.origin)/\(path)"
    let done = try await finish(submit(url, to: farm), on: farm)
    #expect(done.state == .completed, "\(done.failure?.message ?? "")")
    #expect(try await farm.send(.get, "/assets/\(Self.digest)").content() == Self.bytes)
    #expect(server.requests == ["/\(path)"])
    #expect(farm.media.probedNames == [try AssetURL(url).shown])
    try await waitUntilNothingIsLeft(by: farm)
  }

  @Test func `a sequence names URLs beside files`() async throws {
    let farm = try await TestFarm(sources: sources())
    let file = try await farm.upload(Data("a clip".utf8))
    let url = "\(server.origin)/file"
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
    #expect(server.requests == ["/file"])
  }

  @Test func `a project with URLs that are not allowed is refused, and names each`() async throws {
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
    #expect(lines.first?.hasPrefix("http://b.example.com/b.mp4: nothing is fetched from ") == true)
    #expect(
      lines.last?.hasPrefix("https://a.example.com/a.mp4?…: nothing is fetched from ") == true)
  }

  @Test func `a host at a private address is refused by default`() async throws {
    let farm = try await TestFarm(sources: sources(isPrivate: false))
    let done = try await farm.end(of: submit("\(server.origin)/file", to: farm))
    #expect(done.failure?.code == "asset-not-allowed")
    #expect(
      done.failure?.message.hasPrefix(
        "assets.beach.url: beach: \(server.origin)/file: 127.0.0.1 has an address that is not public"
      )
        == true)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: [
    ("status/404", "asset-unreachable", "the server answers 404 Not Found", 1),
    ("status/403?key=secret", "asset-unreachable", "the server answers 403 Forbidden", 1),
    ("redirect", "asset-unreachable", "redirects are not followed", 1),
    ("endless", "asset-unreachable", "does not say where the file ends", 1),
    ("large", "asset-too-large", "more than 60000 bytes", 1),
    ("overflow", "asset-too-large", "more than 60000 bytes", 1),
    ("truncated", "asset-unreachable", "25000 bytes remaining", 4),
  ])
  func `a URL that does not give an asset fails the job and is named`(
    path: String, code: String, reason: String, tries: Int
  ) async throws {
    var limits = Limits()
    limits.assetBytes = 60_000
    let farm = try await TestFarm(sources: sources(), limits: limits)
    let url = "\(server.origin)/\(path)"
    let done = try await farm.end(of: submit(url, to: farm))
    #expect(done.state == .failed)
    #expect(done.failure?.code == code)
    let message = done.failure?.message ?? ""
    #expect(
      message.hasPrefix("assets.beach.url: beach: \(try AssetURL(url).shown): "), "\(message)")
    #expect(message.contains(reason), "\(message)")
    #expect(!message.contains("secret"), "\(message)")
    #expect(server.requests.count == tries, "\(server.requests)")
    #expect(server.requests.allSatisfy { $0 == "/\(path)" })
    try await waitUntilNothingIsLeft(by: farm)
  }

  @Test func `a server that sends too little for long is given up and named`() async throws {
    let piece = [UInt8](repeating: 7, count: 2048)
    let slow = try ScriptedServer { connection in
      guard connection.request() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
      // Twenty times as fast as a connection that is given up because nothing arrives.
      while connection.send(piece) { usleep(100_000) }
    }
    defer { slow.close() }
    var sources = try sources()
    sources.origins = [try #require(AssetOrigin(slow.origin))]
    sources.pace.grace = .seconds(1)
    sources.pace.bytesPerSecond = 100_000
    let farm = try await TestFarm(sources: sources)
    let done = try await farm.end(of: submit("\(slow.origin)/file", to: farm))
    #expect(done.failure?.code == "asset-unreachable")
    let message = done.failure?.message ?? ""
    let reason = "the file arrives at less than 100000 bytes per second on average"
    #expect(
      message.hasPrefix("assets.beach.url: beach: \(slow.origin)/file: \(reason)"), "\(message)")
  }

  // MARK: Others meanwhile

  @Test func `a submitter whose servers send nothing leaves others a place to fetch`() async throws
  {
    let farm = try await TestFarm(sources: sources(), access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    var waiting: [JobStatus] = []
    for _ in 0..<5 {
      waiting.append(try await submit("\(server.origin)/stalled", as: ada))
    }
    while server.requests.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
    var job = try await submit("\(server.origin)/file", as: bob)
    while [.queued, .planning].contains(job.state) {
      try await Task.sleep(for: .milliseconds(5))
      job = try await bob.send(.get, "/jobs/\(job.id)").wire()
    }
    #expect(job.state == .rendering, "\(job.failure?.message ?? "")")
    for other in waiting {
      let response = try await ada.send(.post, "/jobs/\(other.id)/cancel")
      #expect(response.status == .ok, "the job had ended before")
    }
  }

  private func submit(_ url: String, as holder: TokenHolder) async throws -> JobStatus {
    let submission = JobSubmission(name: "cut", project: project(url), assets: [:])
    return try await holder.send(.post, "/jobs", body: FarmCoding.encode(submission)).wire()
  }

  @Test func `jobs of many files that are fetched hold up no job whose files are there`()
    async throws
  {
    let farm = try await TestFarm(sources: sources())
    // A job with a list this long needs a place in memory to be planned and to be finished.
    let count = 100
    let urls = (0..<count).map { "\(server.origin)/stalled?\($0)" }
    var waiting: [JobStatus] = []
    for _ in 0..<3 { waiting.append(try await submit(sequenceOf: urls, [:], to: farm)) }
    while server.requests.count < waiting.count - 1 {
      try await Task.sleep(for: .milliseconds(5))
    }
    let asset = try await farm.upload(Self.bytes)
    let names = (0..<count).map { "\(String(repeating: "n", count: 100))-\($0).mp4" }
    let assets = Dictionary(uniqueKeysWithValues: names.map { ($0, asset) })
    let done = try await finish(submit(sequenceOf: names, assets, to: farm), on: farm)
    #expect(done.state == .completed, "\(done.failure?.message ?? "")")
    for other in waiting {
      let response = try await farm.send(.post, "/jobs/\(other.id)/cancel")
      #expect(response.status == .ok, "the job had ended before")
    }
  }

  /// Submits a project that plays a second of each clip.
  private func submit(
    sequenceOf clips: [String], _ assets: [String: AssetReference], to farm: TestFarm
  ) async throws -> JobStatus {
    let items = clips.map { #"{"clip": "\#($0)", "out": 1}"# }.joined(separator: ",")
    let submission = JobSubmission(
      name: "long", project: #"{"version": 1, "sequence": [\#(items)]}"#, assets: assets,
      rerenders: true)
    let response = try await farm.post("/jobs", submission)
    #expect(response.status == .created)
    return try await response.wire()
  }

  @Test func `a job with many URLs that fail names some of them`() async throws {
    let farm = try await TestFarm(sources: sources())
    let urls = (0..<500).map {
      "\(server.origin)/status/404/\(String(repeating: "n", count: 50))\($0)"
    }
    let job = try await submit(sequenceOf: urls, [:], to: farm)
    _ = try await farm.end(of: job)
    let done: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(done.failure?.code == "asset-unreachable")
    let message = done.failure?.message ?? ""
    #expect(message.contains("the server answers 404 Not Found"), "\(message)")
    #expect(message.contains("because too many other files failed"), "\(message)")
    #expect(server.requests.count < urls.count)
  }

  // MARK: Servers that do not answer

  @Test func `a host where nobody answers fails the job and is named`() async throws {
    // Its port was free a moment ago.
    let gone = try MediaServer(Data()).origin
    var sources = try sources()
    sources.origins = [try #require(AssetOrigin(gone))]
    let farm = try await TestFarm(sources: sources)
    let done = try await farm.end(of: submit("\(gone)/file", to: farm))
    #expect(done.failure?.code == "asset-unreachable")
    #expect(done.failure?.message.hasPrefix("assets.beach.url: beach: \(gone)/file: ") == true)
  }

  @Test func `a failure does not have what follows a URL's question mark`() async throws {
    let said = FakeMedia.Failure(description: "\"http://host/a?key=secret\": broken")
    let farm = try await TestFarm(media: FakeMedia(failure: said), sources: sources())
    let done = try await farm.end(of: submit("\(server.origin)/file", to: farm))
    #expect(done.failure?.message == "\"http://host/a?…\": broken")
  }

  @Test func `a server that is busy is asked again`() async throws {
    let farm = try await TestFarm(sources: sources())
    let job = try await submit("\(server.origin)/busy", to: farm)
    #expect(try await farm.lease(farm.register()).job == job.id)
    #expect(server.requests == ["/busy", "/busy"])
  }

  @Test func `a certificate that nobody vouches for is no server`() async throws {
    let folder = try TemporaryDirectory()
    let files = try Certificates(in: folder.path)
    let secure = try Server(
      ServerConfiguration(
        security: ServerSecurity(
          certificateFile: files.path("server.pem"), keyFile: files.path("server.key"))),
      router: Router())
    let origin = "https://127.0.0.1:\(secure.port)"
    var sources = try sources()
    sources.origins = [try #require(AssetOrigin(origin))]
    let farm = try await TestFarm(sources: sources)
    let done = try await farm.end(of: submit("\(origin)/file", to: farm))
    await secure.shutdown(grace: .zero)
    #expect(done.failure?.code == "asset-unreachable")
    #expect(done.failure?.message.contains("certificate") == true)
  }

  @Test func `a name is resolved once, and what it leads to later is not asked`() async throws {
    let other = try MediaServer(Data("other".utf8), address: "127.0.0.2", port: server.port)
    let asked = Mutex<[String]>([])
    var sources = try sources()
    sources.origins = [try #require(AssetOrigin("http://media.invalid:\(server.port)"))]
    sources.resolve = { host in
      let count = asked.withLock { asked in
        asked.append(host)
        return asked.count
      }
      return [InternetAddress(count == 1 ? "127.0.0.1" : "127.0.0.2")].compactMap(\.self)
    }
    let farm = try await TestFarm(sources: sources)
    let job = try await submit("http://media.invalid:\(server.port)/file", to: farm)
    let lease = try await farm.lease(farm.register())
    #expect(lease.job == job.id && lease.assets.map(\.digest) == [Self.digest])
    #expect(asked.withLock { $0 } == ["media.invalid"])
    #expect(other.requests.isEmpty)
  }

  @Test func `a job that is retried has the bytes that it began with`() async throws {
    let farm = try await TestFarm(sources: sources())
    let job = try await submit("\(server.origin)/file", to: farm)
    _ = try await farm.lease(farm.register())
    try server.replace(by: Data("other".utf8))
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    let done = try await finish(job, on: farm)
    #expect(done.state == .completed)
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [true, false])
  func `a fetched asset that is gone is fetched again, and must be the same`(isSame: Bool)
    async throws
  {
    let farm = try await TestFarm(sources: sources())
    let job = try await submit("\(server.origin)/file", to: farm)
    _ = try await farm.lease(farm.register())
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    try FileManager.default.removeItem(
      atPath: farm.directory.stored(Self.digest, in: "assets"))
    if !isSame { try server.replace(by: Data("other".utf8)) }
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    if isSame {
      #expect(try await finish(job, on: farm).state == .completed)
    } else {
      let failure = try await farm.end(of: job).failure
      #expect(failure?.code == "asset-changed")
      #expect(failure?.message.hasPrefix("\(server.origin)/file: its bytes are others ") == true)
    }
    #expect(server.requests.count == 2)
  }

  @Test func `fetched bytes over a submitter's limit fail the job`() async throws {
    var limits = Limits()
    limits.assetBytesPerSubmitter = 1
    let farm = try await TestFarm(sources: sources(), access: .tokens, limits: limits)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let body = try FarmCoding.encode(
      JobSubmission(name: "cut", project: project("\(server.origin)/file"), assets: [:]))
    var status: JobStatus = try await ada.send(.post, "/jobs", body: body).wire()
    while !status.state.isFinal {
      try await Task.sleep(for: .milliseconds(5))
      status = try await ada.send(.get, "/jobs/\(status.id)").wire()
    }
    #expect(status.failure?.code == "limit-reached")
    #expect(status.failure?.message.contains("--max-asset-bytes-per-submitter") == true)
    #expect(try await ada.send(.head, "/assets/\(Self.digest)").status == .notFound)
  }

  @Test func `what is fetched is its submitter's, and counts as one of its assets`() async throws {
    var limits = Limits()
    limits.assetsPerSubmitter = 1
    let farm = try await TestFarm(sources: sources(), access: .tokens, limits: limits)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    let body = try FarmCoding.encode(
      JobSubmission(name: "cut", project: project("\(server.origin)/file"), assets: [:]))
    let job: JobStatus = try await ada.send(.post, "/jobs", body: body).wire()
    let path = "/assets/\(Self.digest)"
    while try await ada.send(.get, "/jobs/\(job.id)").wire(as: JobStatus.self).state != .rendering {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try await ada.send(.head, path).status == .ok)
    #expect(try await bob.send(.head, path).status == .notFound)
    let second: JobStatus = try await ada.send(.post, "/jobs", body: body).wire()
    var status = second
    while !status.state.isFinal {
      try await Task.sleep(for: .milliseconds(5))
      status = try await ada.send(.get, "/jobs/\(second.id)").wire()
    }
    #expect(status.failure?.code == "limit-reached")
  }

  @Test func `a job that is called off in the middle of a fetch leaves nothing of it`() async throws
  {
    let farm = try await TestFarm(sources: sources())
    let job = try await submit("\(server.origin)/stalled", to: farm)
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try await farm.send(.post, "/jobs/\(job.id)/cancel").status == .ok)
    try await waitUntilNothingIsLeft(by: farm)
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state == .cancelled)
    #expect(try await farm.send(.head, "/assets/\(Self.digest)").status == .notFound)
  }
}
