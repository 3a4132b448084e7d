import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Planning
import Scheduling
import Support
import Testing
import Timeline
import sheaf_coordinator

/// Requirements for every ledger: chunks, assets and workers.
@Suite(.mayBlock) struct LedgerChunkContractTests {
  private typealias Scene = LedgerScene

  @Test(arguments: LedgerKind.allCases)
  func `an accepted chunk is known with its deliverer`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.plan("a", segments: 2)
    let worker = try scene.register("rack")
    let grant = try scene.deliver("chunk", 0, of: job, by: worker)
    let chunk = Scene.digest("chunk")
    #expect(try ledger.chunks(of: job) == [0: chunk])
    #expect(try ledger.acceptedChunk(of: grant.token) == chunk)
    #expect(try ledger.acceptedChunk(of: LeaseToken(rawValue: "another")) == nil)
    #expect(try ledger.neededChunks() == [chunk])
    #expect(try ledger.progress(of: job).framesRendered == 10)
    #expect(try ledger.entries(of: job).first?.state == .completed(worker.id))
    let status = try #require(try ledger.segments(of: job, after: nil, limit: 1).first)
    #expect(status.worker == "rack" && status.framesRendered == 10)
    #expect(
      status.delivery
        == SegmentDelivery(
          worker: "rack", token: "name of rack's token", deliveredAt: Scene.date(10)))
    #expect(status.isUnderAudit == nil)
    #expect(try ledger.uses(of: chunk) == [.job(number: 1, .rendering, endedAt: nil)])
    #expect(try ledger.disposableChunks(of: job) == [])
    try scene.write(.jobCompleted(job, Scene.output, at: Scene.date(20)))
    #expect(try ledger.neededChunks() == [])
    #expect(try ledger.disposableChunks(of: job) == [chunk])
  }

  @Test(arguments: LedgerKind.allCases)
  func `a dropped chunk returns its segment and its job to rendering`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let job = try scene.plan("a", segments: 1)
    let worker = try scene.register("rack")
    try scene.deliver("chunk", 0, of: job, by: worker)
    let segment = SegmentID(job: job, index: 0)
    try scene.write(
      .chunkKept(segment, Scene.kept("chunk", under: "key"), at: Scene.date(10)),
      .jobAdvanced(job, .assembling), .chunkRefused(segment, nil))
    #expect(try scene.row(job)?.status.state == .rendering)
    let entry = try #require(try scene.ledger.entries(of: job).first)
    #expect(entry.state == .pending && entry.expiries == 1)
    #expect(try scene.ledger.keptFingerprints() == [])
    #expect(try scene.ledger.neededChunks() == [])
  }

  @Test(arguments: LedgerKind.allCases)
  func `a held chunk becomes the segment's chunk when it is confirmed`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.plan("a", segments: 2)
    let segment = SegmentID(job: job, index: 0)
    let (first, second) = (try scene.register("first"), try scene.register("second"))
    let chunk = Scene.digest("chunk")
    func hold(_ grant: Grant, by worker: WorkerEntry, _ chunk: Digest) throws {
      try scene.write(
        .chunkHeld(grant, Scene.chunk(chunk), by: Scene.deliverer(worker), at: Scene.date(10)))
    }
    let grant = try scene.begin(0, of: job, by: first)
    try hold(grant, by: first, chunk)
    #expect(
      try ledger.holds(of: chunk) == [ConcernedHold(segment: segment, worker: first.id)])
    #expect(try ledger.byteCount(ofHeld: chunk, segment) == Scene.chunkBytes)
    #expect(try ledger.acceptedChunk(of: grant.token) == chunk)
    #expect(try ledger.neededChunks() == [chunk])
    #expect(try ledger.chunks(of: job) == [:])
    #expect(try ledger.segments(of: job, after: nil, limit: 1).first?.isUnderAudit == true)
    let entry = try #require(try ledger.entries(of: job).first)
    #expect(entry.state == .pending)
    #expect(
      entry.held == [HeldChunk(worker: first.id, identity: first.identity, sha256: chunk)])

    try hold(scene.begin(0, of: job, by: second, attempt: 2), by: second, Scene.digest("other"))
    #expect(try ledger.entries(of: job).first?.held.map(\.worker) == [first.id, second.id])
    try scene.write(.heldChunkDropped(segment, by: second.id))
    #expect(try ledger.entries(of: job).first?.held.map(\.worker) == [first.id])
    try scene.write(.chunkConfirmed(segment, chunk))
    #expect(try ledger.holds(of: chunk) == [])
    #expect(try ledger.chunks(of: job) == [0: chunk])
    #expect(try ledger.entries(of: job).first?.state == .completed(first.id))
    #expect(
      try ledger.segments(of: job, after: nil, limit: 1).first?.delivery?.worker == "first")
  }

  @Test(arguments: LedgerKind.allCases)
  func `a kept chunk is found by its content key and reused`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let (a, b) = (
      try scene.plan("a", segments: 1, by: "ada"), try scene.plan("b", segments: 1, by: "bob")
    )
    try scene.deliver("chunk", 0, of: a, by: scene.register("rack"))
    let kept = Scene.kept("chunk", under: "key")
    let keys = [kept.key, Scene.digest("another key")]
    try scene.write(.chunkKept(SegmentID(job: a, index: 0), kept, at: Scene.date(11)))
    #expect(try ledger.keptChunks(under: keys) == [kept.key: kept])
    #expect(try ledger.keptChunks(under: keys, for: .submitter("ada")) == [kept.key: kept])
    #expect(try ledger.keptChunks(under: keys, for: .submitter("bob")) == [:])
    #expect(try ledger.keptChunks(under: keys, for: .submitter(nil)) == [:])
    #expect(try ledger.keptFingerprints() == [Scene.fingerprint])

    try scene.write(.chunkReused(SegmentID(job: b, index: 0), kept, at: Scene.date(12)))
    #expect(try ledger.reusedCount(of: b) == 1)
    #expect(try ledger.entries(of: b).first?.state == .completed(nil))
    #expect(
      try ledger.segments(of: b, after: nil, limit: 1).first?.delivery?.worker == "rack")
    #expect(
      try ledger.uses(of: kept.sha256) == [
        .job(number: 1, .rendering, endedAt: nil), .job(number: 2, .rendering, endedAt: nil),
        .kept(key: kept.key.description, usedAt: 12),
      ])
    #expect(try ledger.spareChunks() == [])
    try scene.write(
      .jobCompleted(a, Scene.output, at: Scene.date(20)),
      .jobCompleted(b, Scene.output, at: Scene.date(20)))
    #expect(try ledger.spareChunks() == [kept.sha256])
    #expect(try ledger.disposableChunks(of: a) == [])
    #expect(try !ledger.dropKeptChunks(unusedSince: Scene.date(12)))
    #expect(try ledger.keptFingerprints() == [Scene.fingerprint])
    try ledger.forget([kept.sha256])
    #expect(try ledger.keptFingerprints() == [])
    #expect(try ledger.disposableChunks(of: a) == [kept.sha256])
  }

  @Test(arguments: LedgerKind.allCases)
  func `chunks are kept for jobs first, and then by age and size`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let worker = try scene.register("rack")
    let (running, failed) = (
      try scene.plan("a", segments: 1), try scene.plan("b", segments: 1)
    )
    try scene.deliver("running", 0, of: running, by: worker)
    try scene.deliver("failed", 0, of: failed, by: worker)
    let failure = JobFailure(code: .missingAsset, message: "a.mp4 is missing")
    try scene.write(
      .chunkKept(
        SegmentID(job: running, index: 0), Scene.kept("kept", under: "key"), at: Scene.date(50)),
      .jobFailed(failed, failure, at: Scene.date(100)))
    let chunks = ["running", "failed", "kept"].map(Scene.digest)
    #expect(try ledger.chunksToKeep(since: Scene.date(0), 1000) == Set(chunks))
    #expect(try ledger.chunksToKeep(since: Scene.date(60), 1000) == Set(chunks[..<2]))
    #expect(
      try ledger.chunksToKeep(since: Scene.date(0), Scene.chunkBytes) == Set(chunks[..<2]))
    #expect(try ledger.chunksToKeep(since: Scene.date(200), 1000) == [chunks[0]])
  }

  @Test(arguments: LedgerKind.allCases)
  func `chunks are found by their deliverers`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.plan("a", segments: 2)
    let (rack, tower) = (try scene.register("rack"), try scene.register("tower"))
    try scene.deliver("one", 0, of: job, by: rack, at: 10)
    try scene.deliver("two", 1, of: job, by: tower, at: 20)
    let kept = Scene.kept("one", under: "key")
    try scene.write(.chunkKept(SegmentID(job: job, index: 0), kept, at: Scene.date(10)))
    let found = try ledger.chunks(of: ChunkSelection(token: rack.token))
    let first = ConcernedSegment(
      segment: SegmentID(job: job, index: 0), sha256: Scene.digest("one"))
    #expect(found.segments == [first])
    #expect(found.kept == [KeptKey(key: kept.key.description, sha256: kept.sha256)])
    #expect(try ledger.chunks(of: ChunkSelection(worker: "rack")) == found)
    #expect(
      try ledger.chunks(of: ChunkSelection(since: Scene.date(11))).segments.map(\.segment.index)
        == [1])
    #expect(
      try ledger.chunks(of: ChunkSelection(worker: "rack", since: Scene.date(11)))
        .hasNothingToDrop)
    try scene.write(.jobCompleted(job, Scene.output, at: Scene.date(30)))
    let finished = try ledger.chunks(of: ChunkSelection(worker: "tower"))
    #expect(finished.hasNothingToDrop)
    #expect(finished.finished == [ConcernedJob(id: "a", name: "film a", segments: 1)])
  }

  @Test(arguments: LedgerKind.allCases)
  func `deliveries that nothing refers to are dropped`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.plan("a", segments: 2)
    let worker = try scene.register("rack")
    try scene.deliver("one", 0, of: job, by: worker)
    try scene.deliver("two", 1, of: job, by: worker)
    try scene.write(.chunkDropped(SegmentID(job: job, index: 0)))
    let last = try #require(try ledger.dropUnneededDeliveries(after: 0))
    #expect(try ledger.dropUnneededDeliveries(after: last) == nil)
    let delivery = try ledger.segments(of: job, after: 0, limit: 1).first?.delivery
    #expect(delivery?.worker == "rack")
    #expect(try ledger.dropUnneededDeliveries(after: last - 2) == last)
  }

  @Test(arguments: LedgerKind.allCases)
  func `concealed damage is listed in pages`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.plan("a", segments: 2)
    func part(_ frames: Range<Int>?) -> Concealment {
      Concealment(asset: Scene.digest("a.mp4"), time: RationalTime(1), frames: frames)
    }
    try scene.deliver(
      "chunk", 1, of: job, by: scene.register("rack"),
      concealing: [part(2..<3), part(5..<6)])
    #expect(try ledger.concealedCounts(of: [job]) == [job: 2])
    try scene.write(.soundMixed(job, nil, concealing: StoredConcealments([part(nil)])))
    #expect(try ledger.concealedCounts(of: [job, JobID(rawValue: "b")]) == [job: 3])
    func frames(_ page: ConcealmentPage) throws -> [Range<Int>?] { try page.parts().map(\.frames) }
    #expect(try frames(ledger.firstConcealments(of: job)) == [12..<13, 15..<16, nil])
    #expect(
      try frames(ledger.concealments(of: job, after: 0, limit: 2)) == [12..<13, 15..<16])
    #expect(try frames(ledger.concealments(of: job, after: 1, limit: 5)) == [15..<16, nil])
    #expect(try frames(ledger.concealments(of: job, after: 2, limit: 1)) == [nil])

    let chunk = Scene.digest("chunk").description
    #expect(try ledger.dropConcealments(after: "", where: { _ in true }) == chunk)
    #expect(try ledger.concealedCounts(of: [job]) == [job: 3])
    let failure = JobFailure(code: .missingAsset, message: "a.mp4 is missing")
    try scene.write(.jobFailed(job, failure, at: Scene.date(50)))
    #expect(try ledger.dropConcealments(after: "", where: { _ in false }) == chunk)
    #expect(try ledger.concealedCounts(of: [job]) == [job: 3])
    #expect(try ledger.dropConcealments(after: "", where: { _ in true }) == chunk)
    #expect(try ledger.concealedCounts(of: [job]) == [job: 1])
    #expect(try ledger.dropConcealments(after: chunk, where: { _ in true }) == nil)
  }

  @Test(arguments: LedgerKind.allCases)
  func `assets are counted by owner`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let (a, b) = (Scene.digest("a"), Scene.digest("b"))
    try ledger.own(a, 10, by: "ada")
    try ledger.own([AssetReference(digest: b, byteCount: 5)], by: "ada")
    try ledger.own(a, 10, by: "bob")
    try ledger.own(a, 10, by: "bob")
    #expect(try ledger.isOwned(a, by: "ada") && !ledger.isOwned(b, by: "bob"))
    #expect(try ledger.assetCount(of: "ada") == 2 && ledger.assetCount(of: "bob") == 1)
    #expect(try ledger.assetByteCount(of: "ada") == 15)
    #expect(try ledger.assetByteCount(of: "ada", besides: a) == 5)
    try ledger.disown(a)
    #expect(try ledger.assetByteCount(of: "ada") == 5 && ledger.assetCount(of: "bob") == 0)
    try ledger.disown([b])
    #expect(try ledger.assetCount(of: "ada") == 0)

    let (first, second) = (try scene.insert("a", by: "ada"), try scene.insert("b", by: "ada"))
    let url = "https://media.example/a.mp4"
    let asset = AssetReference(digest: a, byteCount: 10)
    try ledger.keep(asset, fetchedFrom: url, for: first, of: "ada")
    try ledger.keep(
      AssetReference(digest: b, byteCount: 5), fetchedFrom: url, for: second, of: "ada")
    #expect(try ledger.fetchedAssets(of: first) == [url: asset])
    #expect(try ledger.fetchedAsset(from: url, by: "ada") == b)
    #expect(try ledger.fetchedAsset(from: url, by: "bob") == nil)
    #expect(try ledger.isOwned(a, by: "ada"))
    #expect(try ledger.submittedAssets(of: first).contains(a))

    let shared = SharedAsset(digest: a, path: "/media/a.mp4", byteCount: 10)
    try ledger.keep([shared])
    #expect(try ledger.sharedAsset(a) == shared)
    #expect(try ledger.sharedAsset(b) == nil)
  }

  @Test(arguments: LedgerKind.allCases)
  func `a lease's assets are recorded in the order of its segment`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.plan("a", segments: 1)
    func asset(_ name: String) -> LeasedAsset {
      LeasedAsset(
        AssetReference(digest: Scene.digest(name), byteCount: 7),
        blocks: Scene.digest("blocks of \(name)"))
    }
    try ledger.keep([asset("b.mp4"), asset("a.mp4"), asset("c.mp4")], leasedFor: job)
    let segment = SegmentID(job: job, index: 0)
    #expect(try ledger.leasedAssets(of: segment) == [asset("a.mp4"), asset("b.mp4")])
    #expect(try ledger.leasedBlocks(of: job).count == 3)
    #expect(try ledger.isLeased(Scene.digest("c.mp4"), for: job))
    try ledger.dropLeasedAssets(of: job)
    #expect(try ledger.leasedAssets(of: segment) == [])
    #expect(try !ledger.isLeased(Scene.digest("c.mp4"), for: job))
  }

  @Test(arguments: LedgerKind.allCases)
  func `workers are known until they are forgotten`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    var rack = try scene.register("rack")
    let tower = try scene.register("tower")
    #expect(try ledger.workers() == [rack, tower])
    try scene.write(
      .workerDrained(rack.id),
      .workerDistrusted(rack.identity, "its chunk differs", at: Scene.date(1)))
    #expect(try ledger.distrustedWorkers() == [rack.identity])
    #expect(try ledger.distrust(of: rack.identity) == "its chunk differs")
    #expect(try ledger.distrust(of: tower.identity) == nil)
    rack.isDraining = true
    rack.distrust = "its chunk differs"
    #expect(try ledger.workers() == [rack, tower])
    try scene.write(.workerResumed(rack), .workerForgotten(tower.id))
    rack.isDraining = false
    rack.distrust = nil
    #expect(try ledger.workers() == [rack])
    #expect(try ledger.distrustedWorkers() == [])
  }
}
