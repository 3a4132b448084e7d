import CoordinatorSupport
import FarmAPI
import Foundation
import Planning
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// Requirements for every ledger: the course of attempts, and drawings of segments.
@Suite(.mayBlock) struct LedgerAttemptContractTests {
  private typealias Scene = LedgerScene

  @Test(arguments: LedgerKind.allCases)
  func `each attempt keeps its worker, times, outcome and log`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.plan("a", segments: 3)
    let (rack, den) = (try scene.register("rack"), try scene.register("den"))
    #expect(try scene.row(job)?.status.startedAt == nil)
    let first = try scene.begin(1, of: job, by: rack, at: 5)
    let other = try scene.begin(0, of: job, by: den, at: 6)
    let report = FailureReport(
      code: .damagedAsset, message: "cannot read /srv/media/a.mp4", isPermanent: false)
    try scene.write(
      .attemptEnded(first, .failed(report), framesRendered: 4, at: Scene.date(7)),
      .attemptLogged(first, "leased\nfailed\n"))
    let second = try scene.begin(1, of: job, by: den, attempt: 2, at: 8)
    try scene.write(
      .chunkAccepted(
        second, Scene.chunk(Scene.digest("chunk")), by: Scene.deliverer(den), at: Scene.date(9)))

    #expect(try scene.row(job)?.status.startedAt == Scene.date(5))
    let segment = try ledger.attempts(at: first.segment, limit: 10)
    #expect(segment.map(\.token) == [second.token, first.token])
    let failed = try #require(segment.last?.status)
    #expect(failed.segment == 1 && failed.number == 1 && failed.frameCount == Scene.frames)
    #expect(failed.worker == "rack" && failed.workerID == "rack-id" && failed.isCopy == nil)
    #expect(failed.startedAt == Scene.date(5) && failed.endedAt == Scene.date(7))
    #expect(failed.outcome == "failed" && failed.framesRendered == 4)
    #expect(failed.code == .damagedAsset && failed.message?.contains("/srv") == false)
    #expect(failed.log == "leased\nfailed\n")
    let completed = try #require(segment.first?.status)
    #expect(completed.outcome == "completed" && completed.endedAt == Scene.date(9))
    #expect(completed.framesRendered == Scene.frames && completed.code == nil)

    let all = try ledger.attempts(of: job, after: 0, limit: 10, withLogs: false)
    #expect(all.map(\.token) == [first.token, other.token, second.token])
    #expect(all.map(\.status.log) == [nil, nil, nil])
    #expect(all.map(\.status.outcome) == ["failed", nil, "completed"])
    let page = try ledger.attempts(of: job, after: 1, limit: 1, withLogs: true)
    #expect(page.map(\.token) == [other.token])

    #expect(try ledger.hasEnded(first.token) == true && ledger.hasEnded(second.token) == true)
    #expect(try ledger.hasEnded(other.token) == false)
    #expect(try ledger.hasEnded(LeaseToken(rawValue: "another")) == nil)

    // A retry keeps the history.
    try scene.write(.jobCancelled(job, at: Scene.date(10)), .jobRetried(job))
    let kept = try ledger.attempts(of: job, after: 0, limit: 10, withLogs: true)
    #expect(kept.map(\.status.outcome) == ["failed", "revoked", "completed"])
    #expect(kept.first?.status.log == "leased\nfailed\n")
    try ledger.dropPlan(of: job)
    #expect(try ledger.attempts(of: job, after: 0, limit: 10, withLogs: true) == [])
  }

  @Test(arguments: LedgerKind.allCases)
  func `documents and the plan's segments are stored and read back`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.plan("a", segments: 3)
    for kind in JobDocument.allCases {
      #expect(try ledger.document(kind, of: job) == nil)
      try ledger.keep(Data("{}".utf8), as: kind, of: job)
      try ledger.keep(Data("{\"\(kind)\": 1}".utf8), as: kind, of: job)
      #expect(try ledger.document(kind, of: job) == Data("{\"\(kind)\": 1}".utf8))
    }
    let whole = try ledger.planSegments(of: job, after: nil, limit: 10)
    #expect(whole.map(\.index) == [0, 1, 2] && whole.map(\.kind) == [.copied, .encoded, .copied])
    #expect(whole[1].first == 10 && whole[1].end == 20 && whole[1].cost == 101)
    #expect(whole[1].memory == 1 << 20 && whole[1].reason != nil && whole[1].contentKey == nil)
    #expect(whole[1].content == Scene.digest("content 1 of a"))
    #expect(whole[1].assets == [Scene.digest("a.mp4"), Scene.digest("b.mp4")])
    #expect(try ledger.planSegments(of: job, after: 0, limit: 1) == [whole[1]])
    try scene.write(.fingerprintFixed(job, Scene.fingerprint))
    let key = try SegmentContent(digest: Scene.digest("content 1 of a"))
      .key(fingerprint: Scene.fingerprint)
    #expect(try ledger.planSegments(of: job, after: 0, limit: 1).first?.contentKey == key)
    try ledger.dropPlan(of: job)
    #expect(try ledger.planSegments(of: job, after: nil, limit: 10) == [])
    #expect(try ledger.document(.timeline, of: job) == nil)
  }

  @Test(arguments: LedgerKind.allCases)
  func `the second of two running attempts is superseded`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let job = try scene.plan("a", segments: 1)
    let (rack, den) = (try scene.register("rack"), try scene.register("den"))
    _ = try scene.begin(0, of: job, by: rack)
    let copy = try scene.begin(0, of: job, by: den, attempt: 2, at: 6)
    try scene.write(
      .chunkAccepted(
        copy, Scene.chunk(Scene.digest("chunk")), by: Scene.deliverer(den), at: Scene.date(9)))
    let attempts = try scene.ledger.attempts(of: job, after: 0, limit: 10, withLogs: false)
    #expect(attempts.map(\.status.outcome) == ["superseded", "completed"])
    #expect(attempts.map(\.status.endedAt) == [Scene.date(9), Scene.date(9)])
  }

  @Test(arguments: LedgerKind.allCases)
  func `a job's segments are drawn by state, and the drawing is kept when it ends`(
    kind: LedgerKind
  ) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let bare = try scene.insert("bare")
    #expect(try ledger.drawing(of: bare) == nil)
    // The even ones are copied.
    let job = try scene.plan("a", segments: 6)
    let kinds = try #require(try ledger.segmentKinds(of: job))
    #expect(kinds.main == [.copied, .blended, .copied, .blended, .copied, .keyframe])
    #expect(kinds[5].others == [.blended: 3, .size: 1] && kinds[3].others.isEmpty)
    let worker = try scene.register("rack")
    try scene.deliver("0", 0, of: job, by: worker)
    try scene.deliver("1", 1, of: job, by: worker)
    try scene.write(
      .chunkReused(
        SegmentID(job: job, index: 2), Scene.kept("2", under: "key"), at: Scene.date(1)))
    _ = try scene.begin(3, of: job, by: worker)
    let drawing = try #require(try ledger.drawing(of: job))
    #expect(drawing.strip == "c10,e10,u10,r10,w20")
    #expect(drawing.frames.map { [$0.copied, $0.reused, $0.encoded] } == [20, 10, 30])
    let segments = try ledger.segments(of: job, after: nil, limit: 3)
    #expect(segments.map(\.kind) == [.copied, .encoded, .copied])
    #expect(segments.map(\.isReused) == [nil, nil, true])
    #expect(drawing.frames?.reasons == ["blended": 23, "keyframe": 6, "size": 1])
    #expect(segments[0].reason == nil && segments[1].reason?.isEmpty == false)
    let last = try ledger.planSegments(of: job, after: 4, limit: 1)
    #expect(last.map(\.reason) == ["the clip has no keyframe before 00:00:07"])
    #expect(segments[0].memory == 1 << 20)
    try scene.write(
      .segmentGivenUp(SegmentID(job: job, index: 5)),
      .jobFailed(
        job, JobFailure(code: .renderFailed, message: "no"), at: Scene.date(20)))
    let final = try #require(try scene.row(job)?.finalProgress?.drawing)
    #expect(final.strip == "c10,e10,u10,w20,f10")
    #expect(final.frames == drawing.frames)
  }
}
