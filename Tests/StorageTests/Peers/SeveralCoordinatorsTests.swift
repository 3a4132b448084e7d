import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Planning
import Processes
import Support
import Testing
import sheaf_coordinator

/// Several coordinators of one farm, as their operators and clients see them.
@Suite(.mayBlock, .timeLimit(.minutes(15)), .needsS3Server)
struct SeveralCoordinatorsTests {
  private let scene: PeerScene

  init() throws { scene = try PeerScene() }

  @Test func `every coordinator answers every call, and another one continues after a kill`()
    async throws
  {
    let (submitter, worker) = (scene.access.submitter, scene.access.worker)
    let founder = try scene.start(PeerScene.founder)
    defer { founder.kill() }
    let second = try scene.start("second")
    defer { second.kill() }
    let job = try await scene.submit(to: second)
    let seen: JobStatus = try await scene.send(submitter, .get, founder, "/jobs/\(job.id)")
    #expect(seen.name == "cut")
    let registration = WorkerRegistration(name: "host", slots: 2, fingerprint: "x264")
    let welcome: WorkerWelcome = try await scene.send(
      worker, .post, second, "/workers", body: FarmCoding.encode(registration))
    var leases: [Lease] = []
    // The second request waits at one coordinator, whichever that is, until the plan is there.
    for coordinator in [second, founder, second] {
      leases.append(
        try await scene.send(
          worker, .post, coordinator, "/workers/\(welcome.id)/leases?wait=60", body: Data()))
    }
    // Without the first segment nothing is appended, so these chunks need not be real.
    leases.removeAll { $0.segment == 0 }
    #expect(try await scene.deliver(leases[0], to: second) == .ok)
    founder.kill()

    try await eventually("the second coordinator serves the farm") {
      (try? await submitter.send(ClientRequest(.get, "\(second.url)/jobs/\(job.id)")))?.status
        == .ok
    }
    // A worker that was rendering meanwhile keeps its lease.
    #expect(try await scene.deliver(leases[1], to: second) == .ok)
    let segments: [SegmentStatus] = try await scene.send(
      submitter, .get, second, "/jobs/\(job.id)/segments")
    for lease in leases[..<2] { #expect(segments[lease.segment].state == .completed) }

    let again = try scene.start(PeerScene.founder)
    defer { again.kill() }
    let count: [JobStatus] = try await scene.send(submitter, .get, again, "/jobs")
    #expect(count.map(\.id) == [job.id])
  }

  @Test func `a coordinator that stops hands the farm over at once`() async throws {
    let founder = try scene.start(PeerScene.founder)
    defer { founder.kill() }
    let second = try scene.start("second")
    defer { second.kill() }
    let job = try await scene.submit(to: founder)
    founder.process.terminate()
    #expect(founder.process.wait() == .exited(0))
    // The claim was given up, or the second coordinator has made another one already.
    #expect(
      try scene.query("SELECT epoch > 1 OR expires_at = '-infinity' FROM ledger_owner") == "t")
    try await eventually("the second coordinator serves the farm") {
      let answer = try? await scene.access.submitter.send(
        ClientRequest(.get, "\(second.url)/jobs/\(job.id)"))
      return answer?.status == .ok
    }
  }

  @Test func `tokens of one data directory are valid at every coordinator, until one revokes them`()
    async throws
  {
    let founder = try scene.start(PeerScene.founder)
    defer { founder.kill() }
    let second = try scene.start("second")
    defer { second.kill() }
    let folder = scene.directory.path("second")
    let made = try TokenFile(data: folder).create(role: .observer, name: "page", at: Date())
    let list = ClientRequest(
      .get, "\(founder.url)/jobs",
      headers: ["Authorization": "Bearer \(made.token)"])
    let client = Client(
      credentials: Credentials(
        authorityFile: scene.directory.path("data.certificates/ca.pem")))
    try await eventually("the token is valid") {
      try await client.send(list).status == .ok
    }
    _ = try TokenFile(data: folder).revoke(idOrName: "page", at: Date())
    try await eventually("the token is revoked") {
      try await client.send(list).status == .unauthorized
    }
    let all = try TokenFile(data: scene.directory.path(PeerScene.founder)).records()
    #expect(all.first { $0.id == made.record.id }?.isActive == false)
    #expect(try TokenFile(data: folder).records().count == all.count)
  }

  @Test func `a coordinator that cannot use the store does not keep others from the ledger`()
    async throws
  {
    let founder = try scene.start(PeerScene.founder)
    defer { founder.kill() }
    let second = try scene.start("second")
    second.kill()
    founder.process.terminate()
    founder.process.wait()
    let silent = try SilentPort()
    let outcome = try scene.outcome(
      "second", scene.storeOptions(endpoint: "http://127.0.0.1:\(silent.number)"))
    #expect(outcome.status == 1)
    withExtendedLifetime(silent) {}
    let owner = "SELECT epoch, expires_at = '-infinity' FROM ledger_owner"
    #expect(try scene.query(owner) == "2|t", "the second one claimed the ledger, and gave it up")
    // The farm's only coordinator may have moved the files; others that use the old store are refused.
    _ = try scene.query("UPDATE ledger_owner SET store = '-'")
    let stale = try scene.outcome("second", scene.storeOptions())
    #expect(stale.status == 1)
    #expect(stale.standardError.contains("were last in another place"))
    #expect(try scene.query(owner) == "3|t")
    let only = try RunningCoordinator(
      data: scene.directory.path(PeerScene.founder),
      ["--ledger", scene.ledgerURL] + scene.storeOptions() + scene.access.arguments)
    only.process.terminate()
    only.process.wait()
    try scene.start("second").kill()
  }

  @Test func `a coordinator that waits says what would keep it from taking over`() async throws {
    let founder = try scene.start(PeerScene.founder)
    defer { founder.kill() }
    try scene.start("second").kill()
    let missing = scene.directory.path("missing")
    let rootless = try scene.outcome("second", scene.storeOptions() + ["--media-root", missing])
    #expect(rootless.status == 1)
    #expect(rootless.standardError.contains("the media root \(missing) does not exist"))

    let log = scene.directory.path("log")
    try Data().write(to: URL(filePath: log))
    let storeless = try scene.start(
      "second", store: scene.storeOptions(prefix: S3Server.newPrefix()), log: log)
    defer { storeless.kill() }
    try await eventually("it says so") {
      let lines = try String(contentsOfFile: log, encoding: .utf8)
      return lines.contains("cannot take over the ledger at present: ")
        && lines.contains("does not contain the stored files of")
    }
    // Meanwhile, clients can use it all the same.
    let jobs: [JobStatus] = try await scene.send(scene.access.submitter, .get, storeless, "/jobs")
    #expect(jobs.isEmpty)
  }

  @Test func `a directory joins only a farm whose ledger and bucket it is given`() async throws {
    // A first start needs tokens.
    let untokened = try scene.outcome("untokened", scene.storeOptions())
    #expect(untokened.status == 1)
    #expect(untokened.standardError.contains("without tokens"))
    let founder = try scene.start(PeerScene.founder)
    defer { founder.kill() }
    let other = try scene.outcome("other", scene.storeOptions(prefix: S3Server.newPrefix()))
    #expect(other.status == 1)
    #expect(other.standardError.contains("is not the object store of the farm in the ledger"))
    // It was not changed, and can join, also after an attempt that was interrupted between its two files.
    for _ in 0..<2 {
      let second = try scene.start("other")
      second.kill()
      try FileManager.default.removeItem(
        atPath: scene.directory.path("other/ledger-owner.json"))
    }
    let storeless = try scene.outcome("storeless", [])
    #expect(storeless.status == 2)
    #expect(
      storeless.standardError.contains("needs --ledger and --store: --peer-address"))
  }
}
