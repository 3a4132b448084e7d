import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import PostgreSQL
import Support
import Testing
import sheaf_coordinator

/// A ledger is restored from a base backup and archived WAL, to a time before its last commits.
@Suite(.mayBlock, .timeLimit(.minutes(15)), .needsS3Server)
struct PointInTimeRecoveryTests: BucketSuite {
  let server: S3Server
  let directory: TemporaryDirectory
  let prefix = S3Server.newPrefix()
  private let primary: PostgreSQLServer

  init() throws {
    server = try S3Server.shared.get()
    directory = try TemporaryDirectory()
    primary = try PostgreSQLServer(archives: true)
    try primary.run("CREATE DATABASE farm", in: "postgres")
  }

  /// Runs a farm with the ledger on a database server, and waits until it has stopped.
  private func run<Value>(
    on database: PostgreSQLServer, _ body: (TestFarm) async throws -> Value
  ) async throws -> Value {
    let value: Value
    do {
      let farm = try await TestFarm(
        in: directory, ledger: .server(.test(database.url(of: "farm"))),
        objects: .inBucket(client()))
      value = try await body(farm)
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    return value
  }

  /// Runs `sheaf-coordinator check` with the ledger on a database server.
  private func check(_ database: PostgreSQLServer) throws -> Program.Outcome {
    try Program.coordinator.run(
      [
        "check", "--data", directory.path("data"), "--ledger", database.url(of: "farm"),
        "--store", "s3://\(S3Server.bucket)/\(prefix)", "--store-endpoint", server.endpoint,
      ],
      environment: [
        "AWS_ACCESS_KEY_ID": S3Server.keyID, "AWS_SECRET_ACCESS_KEY": S3Server.secret,
      ])
  }

  /// The digest of a job's file on a farm that nothing happens to.
  private func undisturbedFile() async throws -> Digest? {
    let farm = try await TestFarm()
    let done = try await farm.finish(farm.submit(), by: farm.register())
    await farm.coordinator.stop()
    return done.output?.sha256
  }

  @Test func `a ledger restored to an earlier time continues its job to the same file`()
    async throws
  {
    let (job, worker, backup, time, lost, late) = try await run(on: primary) { farm in
      let (job, worker) = (try await farm.submit(), try await farm.register())
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
      let backup = try primary.makeBackup()
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
      let time = try primary.run("SELECT clock_timestamp()", in: "postgres")
      let lost = try await farm.lease(worker)
      #expect(try await farm.deliver(lost).status == .ok)
      return (job, worker, backup, time, lost, try await farm.submit(name: "late"))
    }
    try primary.archiveLog()
    let restored = try PostgreSQLServer(restoring: backup, to: time)
    try restored.waitForRecovery()
    let count = "SELECT count(*) FROM segments WHERE state = 'completed'"
    #expect(try restored.run(count, in: "farm") == "2")
    try restored.endRecovery()
    let report = try check(restored)
    #expect(report.status == 0, "\(report.standardOutput)\(report.standardError)")

    let expected = try #require(try await undisturbedFile())
    try await run(on: restored) { farm in
      let segments = try await farm.segments(of: job)
      let completed = segments.filter { $0.state == .completed }.map(\.index)
      #expect(completed.count == 3 && completed.contains(lost.segment))
      #expect(try await farm.send(.get, "/jobs/\(late.id)").status == .notFound)
      let done = try await farm.finish(job, by: worker)
      #expect(done.state == .completed && done.output?.sha256 == expected)
      let file = try await farm.send(.get, "/jobs/\(job.id)/output")
      #expect(try await Digest.of(file.content()) == expected)
    }
  }
}
