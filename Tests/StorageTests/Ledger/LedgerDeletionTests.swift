import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import SQL
import SQLite
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// Requirements for every ledger: what is deleted, and what a deletion leaves.
@Suite(.mayBlock) struct LedgerDeletionTests {
  private typealias Scene = LedgerScene

  @Test(arguments: LedgerKind.allCases)
  func `a job whose file was deleted stays completed and states what happened`(kind: LedgerKind)
    throws
  {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.plan("a", segments: 1)
    let other = try scene.insert("b")
    let deletion = OutputDeletion(
      fileName: "a.mp4", byteCount: 4, deletedAt: Scene.date(90), reason: "it is old")
    try scene.write(.outputDeleted(job, deletion))
    #expect(try scene.row(job)?.status.outputDeletion == nil)
    try scene.deliver("chunk", 0, of: job, by: scene.register("rack"))
    try scene.write(
      .jobCompleted(job, Scene.output, at: Scene.date(20)),
      .jobCancelled(other, at: Scene.date(10)))
    #expect(try ledger.endedJobs(before: Scene.date(21), withOutput: false) == [other, job])
    #expect(try ledger.endedJobs(before: Scene.date(20), withOutput: false) == [other])
    #expect(try ledger.endedJobs(before: Scene.date(21), withOutput: true) == [job])

    try scene.write(.outputDeleted(job, deletion))
    let row = try #require(try scene.row(job))
    #expect(row.status.state == .completed && row.status.output == nil && row.lostOutput == nil)
    #expect(row.status.outputDeletion == deletion)
    #expect(try ledger.endedJobs(before: Scene.date(21), withOutput: true) == [])
    #expect(try ledger.jobsWithoutOutput().contains(job))
    #expect(try scene.row(job)?.finalProgress?.segments.completed == 1)
  }

  @Test func `a notification that cannot be read does not hide the others`() throws {
    let scratch = try TemporaryDirectory()
    let path = scratch.path("ledger.sqlite")
    let ledger = try Ledger(.file(path))
    let job = JobID(rawValue: "a")
    let facts = SubmissionFacts(
      name: "film", priority: nil, rerenders: nil, assets: [try Scene.asset("a.mp4")],
      project: Scene.digest("project"))
    try ledger.insert(
      job, StoredSubmission(facts), by: nil, limits: JobLimits(Limits()), at: Scene.date(0))
    let ids = ["n1", "n2", "n3"]
    try ledger.write(
      try ids.map { id in
        .notificationQueued(
          StoredNotification(
            id: id, job: job, event: .progress, percent: 50,
            receiver: try #require(Receiver("https://hooks.example.com/x")),
            body: Data("{}".utf8), createdAt: Scene.date(1)))
      })
    try Database(.file(path)).run("UPDATE notifications SET event = 'later' WHERE id <> 'n3'")
    let due = try ledger.dueNotifications(at: Scene.date(2), without: [], limit: 1)
    #expect(due.map(\.id) == ["n3"])
    try Database(.file(path)).run(
      "UPDATE notifications SET event = iif(id = 'n1', 'progress', 'later')")
    #expect(try ledger.latestNotifications(limit: 1).map(\.id) == ["n1"])
  }
}
