import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_worker

@Suite(.mayBlock, .timeLimit(.minutes(15))) struct LeaseLoopTests: LeaseLoopSuite {
  let folder: TemporaryDirectory
  let coordinator: FakeCoordinator

  init() throws {
    folder = try TemporaryDirectory()
    coordinator = try FakeCoordinator()
  }

  @Test func `a segment is rendered and its chunk delivered`() async throws {
    coordinator.change { $0.leases = [.test("one")] }
    try await withWorker {
      #expect(await coordinator.next { _ in true } == .registered(name: "test"))
      #expect(
        await coordinator.next(where: isDelivery)
          == .delivered(token: "one", bytes: Array("one".utf8)))
    }
  }

  @Test func `the lines that a worker logs about an attempt reach the coordinator`() async throws {
    // Without heartbeats, all lines come with the delivery or the failure report.
    coordinator.change {
      $0.leases = [.test("one", heartbeat: 600_000), .test("two", heartbeat: 600_000)]
    }
    let renderer = PretendedRenderer { lease, _ in
      guard lease.token == "two" else { return }
      throw PretendedRenderer.Fault(
        report: FailureReport(code: "broken", message: "the encoder broke", isPermanent: false))
    }
    try await withWorker(renderer) {
      for _ in 0..<2 {
        _ = await coordinator.next { call in
          switch call {
          case .delivered, .failed: true
          default: false
          }
        }
      }
      let logs = coordinator.current.logs
      let delivered = try #require(logs["one"]).split(separator: "\n")
      #expect(delivered.first?.contains("worker: leased slot=1") == true)
      #expect(delivered.last?.hasSuffix("worker: rendered frames=10") == true)
      #expect(logs["two"]?.contains("worker: failed code=broken because=the encoder broke") == true)
    }
  }

  @Test func `a lease that arrives damaged is given back and not rendered`() async throws {
    coordinator.change {
      $0.leases = [.test("one"), .test("two")]
      $0.damagedLeases = 1
    }
    let (begun, begin) = AsyncStream.makeStream(of: String.self)
    let renderer = PretendedRenderer { lease, _ in begin.yield(lease.token) }
    try await withWorker(renderer) {
      #expect(await coordinator.next { $0 == .givenBack(token: "one") } != nil)
      #expect(await begun.first { _ in true } == "two")
    }
  }

  @Test func `a slot asks for its next lease before its chunk is delivered`() async throws {
    coordinator.change {
      $0.leases = [.test("one"), .test("two")]
      $0.deliveryFailures = Array(repeating: .unavailable, count: 20)[...]
    }
    let (begun, begin) = AsyncStream.makeStream(of: String.self)
    let renderer = PretendedRenderer { lease, _ in begin.yield(lease.token) }
    try await withWorker(renderer) {
      var started = begun.makeAsyncIterator()
      #expect(await started.next() == "one")
      #expect(await started.next() == "two")
      #expect(
        await coordinator.next(where: isDelivery)
          == .delivered(token: "one", bytes: Array("one".utf8)))
    }
  }

  @Test func `every slot has a lease`() async throws {
    coordinator.change { $0.leases = [.test("one"), .test("two"), .test("three")] }
    let (begun, begin) = AsyncStream.makeStream(of: String.self)
    let renderer = PretendedRenderer { lease, progress in
      begin.yield(lease.token)
      try PretendedRenderer.endless.work(lease, progress)
    }
    try await withWorker(renderer, slots: 3) {
      var tokens: Set<String> = []
      for await token in begun {
        tokens.insert(token)
        if tokens.count == 3 { break }
      }
      #expect(tokens == ["one", "two", "three"])
    }
  }

  @Test func `a lease that does not fit in memory beside another is given back`() async throws {
    coordinator.change {
      $0.leases = [.test("one", memory: 3), .test("two", memory: 3)]
    }
    let (begun, begin) = AsyncStream.makeStream(of: String.self)
    let renderer = PretendedRenderer { lease, progress in
      begin.yield(lease.token)
      try PretendedRenderer.endless.work(lease, progress)
    }
    try await withWorker(renderer, slots: 2, memory: 5) {
      let first = await begun.first { _ in true }
      let other = first == "one" ? "two" : "one"
      #expect(await coordinator.next { $0 == .givenBack(token: other) } != nil)
    }
  }

  @Test func `heartbeats report the render's progress`() async throws {
    coordinator.change { $0.leases = [.test("one")] }
    try await withWorker(.endless) {
      let beat = await coordinator.next {
        if case .beat("one", let frames) = $0 { frames > 0 } else { false }
      }
      #expect(beat != nil)
    }
  }

  @Test func `heartbeats report asset bytes and whether the render waits`() async throws {
    coordinator.change { $0.leases = [.test("one")] }
    let renderer = PretendedRenderer { _, progress in
      progress.countAssetBytes(5)
      progress.countAssetBytes(2)
      try progress.whileWaitingForAssets {
        try blockUntil("the render is stopped") { progress.isStopped }
      }
      throw RenderStopped()
    }
    try await withWorker(renderer) {
      let beat = await coordinator.next {
        $0 == .beatOfAssets(token: "one", byteCount: 7, isWaiting: true)
      }
      #expect(beat != nil)
    }
  }

  @Test func `a render that is no longer needed stops, and its slot continues`() async throws {
    coordinator.change {
      $0.leases = [.test("one"), .test("two")]
      $0.heartbeat = { HeartbeatAnswer(stop: $0 == "one") }
    }
    let renderer = PretendedRenderer { lease, progress in
      if lease.token == "one" { try PretendedRenderer.endless.work(lease, progress) }
    }
    try await withWorker(renderer) {
      #expect(
        await coordinator.next(where: isDelivery)
          == .delivered(token: "two", bytes: Array("two".utf8)))
    }
  }

  @Test func `a render that hangs after a stop does not keep its slot`() async throws {
    coordinator.change {
      $0.leases = [.test("one"), .test("two")]
      $0.heartbeat = { HeartbeatAnswer(stop: $0 == "one") }
    }
    let release = DispatchSemaphore(value: 0)
    defer { release.signal() }
    let renderer = PretendedRenderer { lease, _ in if lease.token == "one" { release.wait() } }
    try await withWorker(renderer) {
      #expect(
        await coordinator.next(where: isDelivery)
          == .delivered(token: "two", bytes: Array("two".utf8)))
    }
  }

  @Test func `a delivery that is no longer needed is cancelled so that the next can start`()
    async throws
  {
    coordinator.change {
      $0.leases = [.test("one"), .test("two")]
      $0.heartbeat = { HeartbeatAnswer(stop: $0 == "one") }
      $0.undeliverable = ["one"]
    }
    try await withWorker {
      #expect(
        await coordinator.next(where: isDelivery)
          == .delivered(token: "two", bytes: Array("two".utf8)))
    }
  }

  @Test func `a stale heartbeat stops the render`() async throws {
    coordinator.change {
      $0.leases = [.test("one"), .test("two")]
      $0.heartbeat = { token in
        if token == "one" {
          throw HTTPError(.conflict, type: ProblemType.staleLease.rawValue, detail: "stale")
        }
        return HeartbeatAnswer(stop: false)
      }
    }
    let renderer = PretendedRenderer { lease, progress in
      if lease.token == "one" { try PretendedRenderer.endless.work(lease, progress) }
    }
    try await withWorker(renderer) {
      #expect(
        await coordinator.next(where: isDelivery)
          == .delivered(token: "two", bytes: Array("two".utf8)))
    }
  }

  @Test func `stopping gives the lease back`() async throws {
    coordinator.change { $0.leases = [.test("one")] }
    try await withWorker(.endless) {
      _ = await coordinator.next { if case .beat = $0 { true } else { false } }
    }
    #expect(
      await coordinator.next { if case .givenBack = $0 { true } else { false } }
        == .givenBack(token: "one"))
  }

  @Test func `stopping does not wait for a render that hangs`() async throws {
    coordinator.change { $0.leases = [.test("one")] }
    let release = DispatchSemaphore(value: 0)
    defer { release.signal() }
    try await withWorker(PretendedRenderer { _, _ in release.wait() }) {
      _ = await coordinator.next { if case .beat = $0 { true } else { false } }
    }
    #expect(
      await coordinator.next { if case .givenBack = $0 { true } else { false } }
        == .givenBack(token: "one"))
  }

  @Test func `stopping gives back the lease of an undelivered chunk`() async throws {
    coordinator.change {
      $0.leases = [.test("one")]
      $0.deliveryFailures = Array(repeating: .unavailable, count: 100_000)[...]
    }
    try await withWorker {
      _ = await coordinator.next { if case .beat = $0 { true } else { false } }
    }
    #expect(
      await coordinator.next { if case .givenBack = $0 { true } else { false } }
        == .givenBack(token: "one"))
  }

  @Test func `a forgotten worker registers again`() async throws {
    try await withWorker {
      #expect(await coordinator.next { $0 == .asked(worker: "w1") } != nil)
      coordinator.change {
        $0.forgotten = ["w1"]
        $0.leases = [.test("one")]
      }
      #expect(await coordinator.next { $0 == .asked(worker: "w2") } != nil)
      #expect(await coordinator.next(where: isDelivery) != nil)
    }
  }

  @Test func `an unavailable coordinator is retried`() async throws {
    coordinator.change { $0.registrationFailures = [.serviceUnavailable, .internalServerError] }
    try await withWorker {
      #expect(await coordinator.next { $0 == .asked(worker: "w1") } != nil)
    }
  }

  @Test func `a chunk that is no longer needed is dropped`() async throws {
    coordinator.change {
      $0.leases = [.test("one"), .test("two")]
      $0.deliveryFailures = [.stale]
    }
    try await withWorker {
      #expect(
        await coordinator.next(where: isDelivery)
          == .delivered(token: "two", bytes: Array("two".utf8)))
    }
  }

  @Test func `a rejected chunk is reported as a failure`() async throws {
    coordinator.change {
      $0.leases = [.test("one")]
      $0.deliveryFailures = [.invalid]
    }
    try await withWorker {
      let call = await coordinator.next { if case .failed = $0 { true } else { false } }
      guard case .failed("one", let report) = call else {
        Issue.record("instead of the failure of lease one came \(String(describing: call))")
        return
      }
      #expect(report.code == "invalid-chunk")
      #expect(!report.isPermanent)
    }
  }

  @Test func `a chunk that arrives damaged is sent again`() async throws {
    coordinator.change {
      $0.leases = [.test("one")]
      $0.damagedDeliveries = 3
    }
    try await withWorker {
      let call = await coordinator.next {
        switch $0 {
        case .delivered, .failed: true
        default: false
        }
      }
      #expect(call == .delivered(token: "one", bytes: Array("one".utf8)))
    }
    #expect(coordinator.current.damagedDeliveries == 0)
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"))
  func `a worker with a full disk frees space, and takes no segment until it has some`()
    async throws
  {
    let disk = try SmallDisk(mebibytes: 4)
    try disk.fill()
    coordinator.change { $0.leases = [.test("one")] }
    let (asked, ask) = AsyncStream.makeStream(of: LocalFileError.self)
    var renderer = PretendedRenderer()
    renderer.room = { ask.yield($0) }
    try await withWorker(renderer, spoolDirectory: disk.directory.path) {
      var shortages = asked.makeAsyncIterator()
      for _ in 0..<3 { #expect(await shortages.next()?.number == ENOSPC) }
      #expect(coordinator.current.leases.count == 1)
      disk.free()
      #expect(await coordinator.next(where: isDelivery) != nil)
    }
    withExtendedLifetime(disk) {}
  }

  @Test func `a chunk that can never be delivered is reported as a failure`() async throws {
    coordinator.change {
      $0.leases = [.test("one")]
      $0.deliveryFailures = [.mediaType]
    }
    try await withWorker {
      let call = await coordinator.next { if case .failed = $0 { true } else { false } }
      guard case .failed("one", let report) = call else {
        Issue.record("instead of the failure of lease one came \(String(describing: call))")
        return
      }
      #expect(report.code == "undeliverable")
    }
  }

  @Test func `a failure is reported, and the slot continues`() async throws {
    let report = FailureReport(code: "broken", message: "it broke", isPermanent: true)
    coordinator.change { $0.leases = [.test("one"), .test("two")] }
    let renderer = PretendedRenderer { lease, _ in
      if lease.token == "one" { throw PretendedRenderer.Fault(report: report) }
    }
    try await withWorker(renderer) {
      #expect(
        await coordinator.next { if case .failed = $0 { true } else { false } }
          == .failed(token: "one", report))
      #expect(await coordinator.next(where: isDelivery) != nil)
    }
  }

  @Test func `a long failure message is shortened to what a coordinator accepts`() async throws {
    let message = String(repeating: "\u{1}", count: 100_000)
    let report = FailureReport(code: "broken", message: message, isPermanent: true)
    coordinator.change { $0.leases = [.test("one")] }
    let renderer = PretendedRenderer { _, _ in throw PretendedRenderer.Fault(report: report) }
    try await withWorker(renderer) {
      #expect(
        await coordinator.next { if case .failed = $0 { true } else { false } }
          == .failed(token: "one", report.shortened))
    }
  }

  @Test func `the spool directory is empty afterwards`() async throws {
    coordinator.change { $0.leases = [.test("one")] }
    try await withWorker { _ = await coordinator.next(where: isDelivery) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}
