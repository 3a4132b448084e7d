import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Complete assets that the store accepts, already has or refuses.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct AssetAdmissionTests {
  private static let day = 86_400.0

  private func limits(assetBytes: Int) -> Limits {
    var limits = Limits()
    limits.assetBytesPerSubmitter = assetBytes
    return limits
  }

  /// The digests of the assets on disk.
  private func stored(_ farm: TestFarm) throws -> Set<Digest> {
    let names = try FileManager.default.subpathsOfDirectory(
      atPath: farm.directory.path("data/assets"))
    return Set(names.compactMap { Digest(hex: URL(filePath: $0).lastPathComponent) })
  }

  // MARK: Assets that are already stored

  @Test func `uploading an asset again resets its age`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    let bytes = Data("a clip".utf8)
    #expect(try await ada.upload(bytes).status == .created)
    let path = farm.directory.stored(Digest.of(bytes), in: "assets")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -100 * Self.day)], ofItemAtPath: path)
    #expect(try await bob.upload(bytes).status == .created)
    try await farm.coordinator.tidy()
    #expect(try await bob.send(.head, "/assets/\(Digest.of(bytes))").status == .ok)
  }

  @Test func `uploads that wait for the disk do not hold up other requests`() async throws {
    let farm = try await TestFarm()
    let asset = try await farm.upload(Data("a clip".utf8))
    let folder = farm.directory.path("data/uploads")
    let waiting = Mutex(0)
    let disk = DispatchSemaphore(value: 0)
    FileWrites.judge(under: folder) { path, count in
      // A count of 1 stands for flushing the whole file to disk.
      if path.hasSuffix(".part"), count == 1 {
        waiting.withLock { $0 += 1 }
        disk.wait()
      }
      return count
    }
    defer { FileWrites.judge(under: folder, by: nil) }
    let statuses = try await withThrowingTaskGroup(of: Status.self) { group in
      for number in 0..<12 {
        let bytes = Data("clip \(number)".utf8)
        group.addTask {
          try await farm.send(.put, "/assets/\(Digest.of(bytes))", body: bytes).status
        }
      }
      try await eventually("three uploads are being written") { waiting.withLock { $0 } >= 3 }
      for _ in 0..<50 {
        #expect(try await farm.send(.head, "/assets/\(asset.digest)").status == .ok)
      }
      for _ in 0..<12 { disk.signal() }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: .created, count: 12))
  }

  @Test func `an upload that is being flushed to disk is still in progress`() async throws {
    var storage = StorageSettings()
    storage.uploadPatience = .zero
    let farm = try await TestFarm(storage: storage)
    let bytes = Data("a clip".utf8)
    let route = "/assets/\(Digest.of(bytes))"
    let folder = farm.directory.path("data/uploads")
    let isWaiting = Mutex(false)
    let disk = DispatchSemaphore(value: 0)
    FileWrites.judge(under: folder) { path, count in
      if path.hasSuffix(".part"), count == 1, isWaiting.withLock({ !$0 }) {
        isWaiting.withLock { $0 = true }
        disk.wait()
      }
      return count
    }
    defer { FileWrites.judge(under: folder, by: nil) }
    async let first = farm.send(.put, route, body: bytes).status
    try await eventually("the upload is being flushed") { isWaiting.withLock { $0 } }
    let again = try await farm.send(
      .put, route, headers: ["Upload-Offset": "6", "Upload-Length": "6"])
    #expect(try await again.problem() == .uploadInProgress)
    disk.signal()
    #expect(try await first == .created)
  }

  // MARK: The quota

  @Test func `concurrent uploads that exceed the quota when they end leave no files`() async throws
  {
    let farm = try await TestFarm(access: .tokens, limits: limits(assetBytes: 10))
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let statuses = try await withThrowingTaskGroup(of: Status.self) { group in
      for number in 10..<50 {
        group.addTask { try await ada.upload(Data("clip\(number)".utf8)).status }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.count { $0 == .created } == 1)
    #expect(statuses.count { $0 == .contentTooLarge } == 39)
    #expect(try stored(farm).count == 1)
  }

  private func fetchingFarm(
    _ server: MediaServer, assetBytes: Int
  ) async throws -> (TestFarm, TokenHolder) {
    var sources = AssetSources()
    sources.origins = [try #require(AssetOrigin(server.origin))]
    sources.allowsPrivateAddresses = true
    let farm = try await TestFarm(
      sources: sources, access: .tokens, limits: limits(assetBytes: assetBytes))
    return (farm, try TokenHolder(.submitter, "ada", of: farm))
  }

  private func submit(_ url: String, as holder: TokenHolder) async throws -> JobStatus {
    let project = #"{"version": 1, "sequence": [{"clip": "\#(url)"}]}"#
    return try await holder.send(
      .post, "/jobs",
      body: FarmCoding.encode(JobSubmission(name: "cut", project: project, assets: [:]))
    ).wire()
  }

  @Test(arguments: ["file", "chunked"])
  func `a fetch never exceeds the rest of a submitter's quota`(path: String) async throws {
    let bytes = Data(repeating: 7, count: 50_000)
    let server = try MediaServer(bytes)
    let (farm, ada) = try await fetchingFarm(server, assetBytes: 60_000)
    #expect(try await ada.upload(Data(repeating: 1, count: 20_000)).status == .created)
    let end = try await ada.end(of: submit("\(server.origin)/\(path)", as: ada))
    #expect(end.failure?.code == "limit-reached")
    let message = end.failure?.message ?? ""
    #expect(
      message.contains(
        "the file exceeds the 40000 bytes left in the quota: ada has 20000 bytes"), "\(message)")
    #expect(try !stored(farm).contains(Digest.of(bytes)))
  }

  @Test func `an asset that was fetched from its URL before is not counted twice`() async throws {
    let bytes = Data(repeating: 7, count: 50_000)
    let server = try MediaServer(bytes)
    let (farm, ada) = try await fetchingFarm(server, assetBytes: 60_000)
    let worker = try TokenHolder(.worker, "w", of: farm)
    let first = try await submit("\(server.origin)/file", as: ada)
    let id = try await worker.register(name: "w")
    #expect(try await worker.lease(id).job == first.id)
    _ = try await ada.send(.post, "/jobs/\(first.id)/cancel")
    let second = try await submit("\(server.origin)/file", as: ada)
    #expect(try await worker.lease(id).job == second.id)
  }

  @Test func `a fetched file that exceeds the quota when the fetch ends is removed`() async throws {
    let bytes = Data(repeating: 7, count: 50_000)
    let server = try MediaServer(bytes)
    let (farm, ada) = try await fetchingFarm(server, assetBytes: 60_000)
    let job = try await submit("\(server.origin)/stalled", as: ada)
    try await eventually("the fetch starts") { !server.requests.isEmpty }
    // The rest of the quota shrinks during the fetch.
    let other = Data(repeating: 1, count: 20_000)
    #expect(try await ada.upload(other).status == .created)
    try server.release()
    let end = try await ada.end(of: job)
    #expect(end.failure?.code == "limit-reached")
    #expect(try stored(farm) == [Digest.of(other)])
  }

  @Test func `a quarantined asset no longer counts toward the quota`() async throws {
    let farm = try await TestFarm(access: .tokens, limits: limits(assetBytes: 10))
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bytes = Data("sixsix".utf8)
    #expect(try await ada.upload(bytes).status == .created)
    #expect(try await ada.upload(Data("sevensi".utf8)).status == .contentTooLarge)
    truncate(farm.directory.stored(Digest.of(bytes), in: "assets"), 3)
    #expect(try await ada.send(.head, "/assets/\(Digest.of(bytes))").status == .notFound)
    // The store notifies the farm a moment later.
    try await eventually("the quota has room again") {
      try await ada.upload(Data("sevensi".utf8)).status == .created
    }
  }

  // MARK: Files under media roots

  @Test func `block digests stay when an asset that is also under a media root is removed`()
    async throws
  {
    let media = try TemporaryDirectory()
    let file = media.path("a.mp4")
    let bytes = Data("a clip".utf8)
    try bytes.write(to: URL(filePath: file))
    let farm = try await TestFarm(mediaRoots: [media.path])
    var asset = try await farm.upload(bytes)
    asset.path = file
    let job: JobStatus = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: TestFarm.project, assets: ["a.mp4": asset])
    ).wire()
    #expect(try await farm.lease(farm.register()).job == job.id)
    try await farm.coordinator.tidy(at: Date(timeIntervalSinceNow: 100 * Self.day))
    #expect(try stored(farm).isEmpty)
    let blocks = try await farm.send(.get, "/assets/\(asset.digest)/blocks")
    #expect(blocks.status == .ok)
  }

  // MARK: Damage

  @Test func `checking assets whose size differs does not hold up other submissions`() async throws
  {
    let farm = try await TestFarm(access: .tokens)
    let holders = try ["ada", "bob", "cid", "dan"].map {
      try TokenHolder(.submitter, $0, of: farm)
    }
    // Large enough that the submission needs a place.
    let project = TestFarm.project.replacingOccurrences(
      of: "\n", with: "\n" + String(repeating: " ", count: 9000))
    var bodies: [Data] = []
    for (number, holder) in holders.enumerated() {
      let bytes = Data("clip \(number)".utf8)
      #expect(try await holder.upload(bytes).status == .created)
      // Only the last submission names the right size of its asset.
      let size = Int64(bytes.count) + (number < 3 ? 1 : 0)
      let asset = AssetReference(digest: .of(bytes), byteCount: size)
      bodies.append(
        try FarmCoding.encode(
          JobSubmission(name: "cut", project: project, assets: ["a.mp4": asset])))
    }
    let submissions = bodies
    let folder = farm.directory.path("data/assets")
    let reading = Mutex(0)
    let disk = DispatchSemaphore(value: 0)
    FileReads.observe(under: folder) { _ in
      reading.withLock { $0 += 1 }
      disk.wait()
    }
    defer { FileReads.observe(under: folder, by: nil) }
    let statuses = try await withThrowingTaskGroup(of: Status.self) { group in
      defer {
        FileReads.observe(under: folder, by: nil)
        for _ in 0..<100 { disk.signal() }
      }
      for number in 0..<3 {
        group.addTask {
          try await holders[number].send(.post, "/jobs", body: submissions[number]).status
        }
      }
      // Two assets are read at a time.
      try await eventually("two assets are being read") { reading.withLock { $0 } >= 2 }
      for number in 0..<3 {
        let late = try await holders[3].send(
          .post, "/jobs", headers: ["Idempotency-Key": "\(number)"], body: submissions[3])
        #expect(late.status == .created)
      }
      FileReads.observe(under: folder, by: nil)
      for _ in 0..<100 { disk.signal() }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: .unprocessableContent, count: 3))
  }

  @Test func `assets that a worker reports as damaged are read one at a time`() async throws {
    let farm = try await TestFarm()
    var assets: [String: AssetReference] = [:]
    for name in ["a.mp4", "b.mp4"] { assets[name] = try await farm.upload(Data(name.utf8)) }
    let project = """
      {"version": 1, "sequence": [
        {"clip": "a.mp4"}, {"transition": "dissolve", "duration": 1}, {"clip": "b.mp4"}]}
      """
    _ = try await farm.post("/jobs", JobSubmission(name: "cut", project: project, assets: assets))
    let worker = try await farm.register()
    var lease = try await farm.lease(worker)
    while lease.assets.count < 2 { lease = try await farm.lease(worker) }
    let folder = farm.directory.path("data/assets")
    let readings = Mutex((total: 0, open: 0, most: 0))
    let isRead = DispatchSemaphore(value: 0)
    FileReads.observe(under: folder) { _ in
      readings.withLock { readings in
        readings.total += 1
        readings.open += 1
        readings.most = max(readings.most, readings.open)
      }
      isRead.wait()
      readings.withLock { $0.open -= 1 }
    }
    defer {
      FileReads.observe(under: folder, by: nil)
      for _ in 0..<100 { isRead.signal() }
    }
    let report = FailureReport(
      code: .damagedAsset, message: "other bytes", isPermanent: false)
    #expect(try await farm.post("/leases/\(lease.token)/failure", report).status == .noContent)
    try await eventually("an asset is being read") { readings.withLock { $0.total > 0 } }
    // By now, the other asset would be read too.
    for _ in 0..<50 { _ = try await farm.get("/jobs", as: [JobStatus].self) }
    for _ in 0..<2 { isRead.signal() }
    try await eventually("both assets have been read") {
      readings.withLock { $0.total >= 2 && $0.open == 0 }
    }
    #expect(readings.withLock { $0.most } == 1)
  }
}
