import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import SQL
import SQLite
import Support
import Testing
import sheaf_coordinator

/// The records of who delivered each chunk, and the effects of distrusting a worker or a token.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ProvenanceTests {
  @Test func `chunks from a revoked token are not reused, and finished jobs with them are listed`()
    async throws
  {
    let trusting = try await TrustingFarm()
    let (mallory, rack) = (trusting.mallory, trusting.rack)
    let first = try await trusting.submit()
    _ = try await mallory.render(
      first, as: mallory.register(name: "m"), asking: trusting.root, TrustingFarm.forged)
    #expect(try await trusting.output(of: first) == TrustingFarm.forgery)

    // Until the forgery is discovered, the next job reuses the chunks.
    let second = try await trusting.submit()
    _ = try await rack.render(second, as: rack.register(name: "r"), asking: trusting.root)
    #expect(try await trusting.output(of: second) == TrustingFarm.forgery)

    let revoked = try trusting.command("token", "revoke", mallory.id)
    #expect(revoked.status == 0, "\(revoked.standardError)")
    let lines = revoked.standardOutput.split(separator: "\n")
    #expect(lines.first == "will drop 9 chunks kept for later jobs and 0 chunks of unfinished jobs")
    #expect(lines.dropFirst().map { $0.split(separator: " ")[2] } == [first[...], second[...]])
    await trusting.farm.coordinator.dropUntrusted()

    let third = try await trusting.submit()
    let rendered = try await rack.render(
      third, as: rack.register(name: "r2"), asking: trusting.root)
    #expect(rendered == Array(0..<9))
    #expect(try await trusting.output(of: third) == TrustingFarm.honest)
    #expect(try trusting.command("check", "--chunks").status == 0)
  }

  @Test func `chunks from a token that was revoked with --keep-chunks are reused`() async throws {
    let trusting = try await TrustingFarm()
    let rack = trusting.rack
    let first = try await trusting.submit()
    let worker = try await rack.register(name: "r")
    #expect(try await rack.render(first, as: worker, asking: trusting.root).count == 9)

    let revoked = try trusting.command("token", "revoke", rack.id, "--keep-chunks")
    #expect(revoked.status == 0, "\(revoked.standardError)")
    #expect(revoked.standardOutput == "")
    await trusting.farm.coordinator.dropUntrusted()

    let second = try await trusting.submit()
    let mallory = trusting.mallory
    let rendered = try await mallory.render(
      second, as: mallory.register(name: "m"), asking: trusting.root)
    #expect(rendered == [])
    #expect(try await trusting.output(of: second) == TrustingFarm.honest)
  }

  @Test func `a segment names the worker and token that delivered its chunk, even if it is reused`()
    async throws
  {
    let date = Date(timeIntervalSince1970: 1_900_000_000)
    let trusting = try await TrustingFarm(calendar: { date })
    let first = try await trusting.submit()
    let worker = try await trusting.rack.register(name: "r")
    _ = try await trusting.rack.render(first, atMost: 1, as: worker, asking: trusting.root)
    let begun: [SegmentStatus] = try await trusting.ada.send(.get, "/jobs/\(first)/segments").wire()
    #expect(begun.compactMap(\.delivery).count == 1)
    _ = try await trusting.rack.render(first, as: worker, asking: trusting.root)
    let second = try await trusting.submit()
    _ = try await trusting.rack.render(second, as: worker, asking: trusting.root)
    for job in [first, second] {
      let segments: [SegmentStatus] = try await trusting.ada.send(.get, "/jobs/\(job)/segments")
        .wire()
      #expect(segments.map(\.delivery?.worker) == segments.map { _ in "r" })
      #expect(segments.map(\.delivery?.token) == segments.map { _ in "rack" })
      #expect(segments.map(\.delivery?.deliveredAt) == segments.map { _ in date })
      #expect(segments.map(\.worker) == segments.map { _ in job == first ? "r" : nil })
    }
  }

  @Test func `an unfinished job renders an untrusted worker's segments again`() async throws {
    let trusting = try await TrustingFarm()
    let (mallory, rack) = (trusting.mallory, trusting.rack)
    let job = try await trusting.submit()
    let forged = try await mallory.render(
      job, atMost: 4, as: mallory.register(name: "m"), asking: trusting.root, TrustingFarm.forged)
    let worker = try await rack.register(name: "r")
    let sound = try await rack.render(job, atMost: 4, as: worker, asking: trusting.root)
    let forgotten = try trusting.command("forget", "--worker", "m")
    #expect(
      forgotten.standardOutput
        == "will drop 4 chunks kept for later jobs and 4 chunks of unfinished jobs\n")
    await trusting.farm.coordinator.dropUntrusted()
    let rest = try await rack.render(job, as: worker, asking: trusting.root)
    #expect(rest == (0..<9).filter { !sound.contains($0) })
    #expect(Set(forged).isSubset(of: rest))
    #expect(try await trusting.output(of: job) == TrustingFarm.honest)
    let metrics = await trusting.farm.coordinator.router.respond(
      to: try Request(
        .get, "/metrics", headers: ["Authorization": "Bearer \(trusting.root.token)"]))
    let page = String(decoding: try await metrics.content(), as: UTF8.self)
    #expect(page.contains("\nsheaf_chunks_forgotten_total 8\n"))
  }

  @Test func `a file whose chunks are dropped while it is completed is assembled again`()
    async throws
  {
    let (finishing, finish) = AsyncStream.makeStream(of: Void.self)
    let (dropped, resume) = AsyncStream.makeStream(of: Void.self)
    let media = FakeMedia(beforeFinish: {
      finish.yield()
      for await _ in dropped { return }
    })
    let trusting = try await TrustingFarm(media: media)
    let (mallory, rack) = (trusting.mallory, trusting.rack)
    let job = try await trusting.submit()
    let worker = try await mallory.register(name: "m")
    var leases: [Lease] = []
    for _ in 0..<9 { leases.append(try await mallory.lease(worker)) }
    for lease in leases {
      #expect(try await mallory.deliver(lease, TrustingFarm.forged(lease)).status == .ok)
    }
    // Every chunk is appended, and only the end of the file is missing.
    for await _ in finishing { break }
    #expect(try trusting.command("forget", "--worker", "m").status == 0)
    await trusting.farm.coordinator.dropUntrusted()
    resume.finish()
    _ = try await rack.render(job, as: rack.register(name: "r"), asking: trusting.root)
    #expect(try await trusting.status(of: job).state == .completed)
    #expect(try await trusting.output(of: job) == TrustingFarm.honest)
  }

  @Test func `chunks can be forgotten by time, even while no coordinator runs`() async throws {
    let trusting = try await TrustingFarm()
    let rack = trusting.rack
    let job = try await trusting.submit()
    let worker = try await rack.register(name: "r")
    _ = try await rack.render(job, atMost: 3, as: worker, asking: trusting.root)
    let later = Date().addingTimeInterval(3600).formatted(.iso8601)
    let none = try trusting.command("forget", "--since", later)
    #expect(
      none.standardOutput
        == "will drop 0 chunks kept for later jobs and 0 chunks of unfinished jobs\n")
    await trusting.farm.coordinator.stop()
    let earlier = Date().addingTimeInterval(-3600).formatted(.iso8601)
    let all = try trusting.command("forget", "--since", earlier)
    #expect(
      all.standardOutput
        == "will drop 3 chunks kept for later jobs and 3 chunks of unfinished jobs\n")
    for wrong in [["forget"], ["forget", "--since", "yesterday"]] {
      #expect(
        try Program.coordinator.run(wrong + ["--data", trusting.farm.directory.path("data")])
          .status == 2)
    }
  }

  @Test
  func `a delivery is recorded as long as its chunk is kept or a finished job has it`() async throws
  {
    let trusting = try await TrustingFarm()
    let (mallory, rack) = (trusting.mallory, trusting.rack)
    let data = trusting.farm.directory.path("data")
    func deliveries() throws -> Int? {
      try Ledger(reading: data).connection.first("SELECT count(*) FROM deliveries") {
        try $0.get(0)
      }
    }
    let job = try await trusting.submit()
    _ = try await mallory.render(
      job, atMost: 4, as: mallory.register(name: "m"), asking: trusting.root, TrustingFarm.forged)
    _ = try await rack.render(job, atMost: 2, as: rack.register(name: "r"), asking: trusting.root)
    try await trusting.farm.coordinator.tidy(at: Date())
    #expect(try deliveries() == 6)

    // Nothing refers to a dropped chunk any more.
    #expect(try trusting.command("forget", "--worker", "m").status == 0)
    await trusting.farm.coordinator.dropUntrusted()
    _ = try await rack.render(job, as: rack.register(name: "r"), asking: trusting.root)
    #expect(try deliveries() == 13)
    try await trusting.farm.coordinator.tidy(at: Date())
    #expect(try deliveries() == 9)

    // The chunks are removed, but the finished file that contains them stays.
    try await trusting.farm.coordinator.tidy(at: Date(timeIntervalSinceNow: 30 * 86_400))
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: "\(data)/chunks").allSatisfy {
        Digest(hex: URL(filePath: $0).lastPathComponent) == nil
      })
    #expect(try deliveries() == 9)
    let revoked = try trusting.command("token", "revoke", rack.id)
    #expect(
      revoked.standardOutput.contains("finished job \(job) (cut): contains 9 of these chunks"))
  }

  /// Adds records of deliveries that nothing refers to.
  private func addDeliveries(_ count: Int, to database: Database) throws {
    try database.run(
      """
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
      INSERT INTO deliveries (sha256, worker, job, segment, delivered_at)
      SELECT 'gone', (SELECT min(id) FROM workers), 'gone', n, 0 FROM numbers
      """, count)
  }

  private func deliveryCount(in database: Database) throws -> Int? {
    try database.first("SELECT count(*) FROM deliveries") { try $0.get(0) }
  }

  @Test func `records of deliveries are removed in ranges`() throws {
    let ledger = try Ledger(.memory)
    try ledger.connection.run(
      "INSERT INTO workers (id, name, slots, fingerprint) VALUES ('w', 'rack', 1, 'x264')")
    let range = Ledger.deliveryRange
    try addDeliveries(2 * range + 1, to: ledger.connection)
    #expect(try ledger.dropUnneededDeliveries() == range)
    #expect(try deliveryCount(in: ledger.connection) == range + 1)
    #expect(try ledger.dropUnneededDeliveries(after: range) == 2 * range)
    #expect(try deliveryCount(in: ledger.connection) == 1)
    #expect(try ledger.dropUnneededDeliveries(after: 2 * range) == 2 * range + 1)
    #expect(try deliveryCount(in: ledger.connection) == 0)
    #expect(try ledger.dropUnneededDeliveries(after: 2 * range + 1) == nil)
  }

  @Test func `tidying removes all delivery records that nothing refers to`() async throws {
    let trusting = try await TrustingFarm()
    let job = try await trusting.submit()
    _ = try await trusting.rack.render(
      job, as: trusting.rack.register(name: "r"), asking: trusting.root)
    let database = try Database(
      .file(trusting.farm.directory.path("data/ledger.sqlite")), startsLog: false)
    try addDeliveries(3 * Ledger.deliveryRange, to: database)
    #expect(try deliveryCount(in: database) == 9 + 3 * Ledger.deliveryRange)
    try await trusting.farm.coordinator.tidy(at: Date())
    #expect(try deliveryCount(in: database) == 9)
    let revoked = try trusting.command("token", "revoke", trusting.rack.id)
    #expect(
      revoked.standardOutput.contains("finished job \(job) (cut): contains 9 of these chunks"))
  }

  @Test func `reuse can be limited to the chunks and mixes of one submitter`() async throws {
    var storage = StorageSettings()
    storage.reuse = .submitter
    let trusting = try await TrustingFarm(storage: storage)
    let rack = trusting.rack
    let worker = try await rack.register(name: "r")
    let bob = try TokenHolder(.submitter, "bob", of: trusting.farm)
    let first = try await trusting.submit()
    #expect(try await rack.render(first, as: worker, asking: trusting.root).count == 9)
    let own = try await trusting.submit()
    #expect(try await rack.render(own, as: worker, asking: trusting.root).count == 0)
    let other = try await trusting.submit(as: bob)
    #expect(try await rack.render(other, as: worker, asking: trusting.root).count == 9)
    #expect(trusting.farm.media.mixCount == 2)
  }

  @Test func `running jobs of two submitters share no chunks if reuse is limited`() async throws {
    var storage = StorageSettings()
    storage.reuse = .submitter
    let trusting = try await TrustingFarm(storage: storage)
    let (mallory, rack) = (trusting.mallory, trusting.rack)
    let bob = try TokenHolder(.submitter, "bob", of: trusting.farm)
    let jobs = [try await trusting.submit(), try await trusting.submit(as: bob)]
    for job in jobs {
      try await trusting.root.wait(for: job, until: .rendering)
    }
    // Both jobs are live: a worker can have all eighteen segments at once.
    let worker = try await mallory.register(name: "m")
    var leases: [Lease] = []
    for _ in 0..<18 { leases.append(try await mallory.lease(worker)) }
    for lease in leases where lease.job == jobs[0] {
      #expect(try await mallory.deliver(lease, TrustingFarm.forged(lease)).status == .ok)
    }
    for lease in leases where lease.job == jobs[1] {
      #expect(try await rack.deliver(lease).status == .ok)
    }
    for job in jobs {
      try await trusting.root.wait(for: job, until: .completed)
    }
    #expect(try await trusting.output(of: jobs[0]) == TrustingFarm.forgery)
    #expect(try await trusting.output(of: jobs[1]) == TrustingFarm.honest)
    // Bob's own chunks are reused, although chunks of both submitters have the same content keys.
    #expect(
      try await rack.render(trusting.submit(as: bob), as: worker, asking: trusting.root) == [])
  }

  @Test func `a worker can read only the assets that its lease names`() async throws {
    let trusting = try await TrustingFarm()
    let rack = trusting.rack
    let job = try await trusting.submit()
    let secret = Data("another clip".utf8)
    #expect(try await trusting.ada.upload(secret).status == .created)
    let lease = try await rack.lease(rack.register(name: "r"))
    #expect(lease.job == job)
    let named = "/assets/\(Digest.of(Data("a clip".utf8)))"
    let other = "/assets/\(Digest.of(secret))"
    func get(_ path: String, _ token: String?) async throws -> Status {
      try await rack.send(.get, path, headers: token.map { [Lease.headerName: $0] } ?? [:]).status
    }
    #expect(try await get(named, lease.token) == .ok)
    #expect(try await get(other, lease.token) == .notFound)
    #expect(try await get("\(named)/blocks", lease.token) == .ok)
    #expect(try await get("\(other)/blocks", lease.token) == .notFound)
    #expect(try await get("\(named)/blocks", nil) == .notFound)
    #expect(try await get(named, nil) == .notFound)
    #expect(try await get(named, "guessed") == .conflict)
    // Access continues while the lease is renewed, and ends with the lease.
    let beat = try FarmCoding.encode(Heartbeat(framesRendered: 1))
    #expect(try await rack.send(.put, "/leases/\(lease.token)", body: beat).status == .ok)
    #expect(try await get(named, lease.token) == .ok)
    #expect(try await rack.deliver(lease).status == .ok)
    #expect(try await get(named, lease.token) == .conflict)
    #expect(try await trusting.root.send(.get, other).status == .ok)
  }
}
