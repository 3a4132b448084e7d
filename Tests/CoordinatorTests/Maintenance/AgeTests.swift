import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// The deletion of old jobs and finished files.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct AgeTests {
  private static let day = 86_400.0

  private let lines = LogLines()

  /// A farm with a completed job.
  private func finished(
    _ change: (inout StorageSettings) -> Void
  ) async throws -> (TestFarm, JobStatus) {
    var storage = StorageSettings()
    change(&storage)
    let farm = try await TestFarm(storage: storage, log: lines.log)
    let job = try await farm.finish(farm.submit(), by: farm.register())
    #expect(job.state == .completed)
    return (farm, job)
  }

  /// Cleans up as a coordinator does that has been running until then.
  private func tidy(_ farm: TestFarm, afterDays days: Double) async throws {
    let then = Date(timeIntervalSinceNow: days * Self.day)
    try AgeGuardFile(data: farm.directory.path("data")).update { records in
      var ages = AgeGuard()
      for hours in stride(from: -30.0, through: -1, by: 1) {
        _ = ages.allowsDeletion(at: then + hours * 3600)
      }
      records = [ages]
    }
    try await farm.coordinator.tidy(at: then)
  }

  private func outputs(of farm: TestFarm) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: farm.directory.path("data/outputs"))
  }

  @Test func `by default, old jobs and their files stay`() async throws {
    let (farm, job) = try await finished { _ in }
    try await tidy(farm, afterDays: 10_000)
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).output != nil)
    #expect(try outputs(of: farm) == ["\(job.id).mp4"])
  }

  @Test func `an old finished file is deleted, and its job says so`() async throws {
    let (farm, job) = try await finished { $0.keepOutputsDays = 30 }
    try await tidy(farm, afterDays: 29.9)
    #expect(try outputs(of: farm) == ["\(job.id).mp4"])
    try await tidy(farm, afterDays: 30.1)
    #expect(try outputs(of: farm) == [])

    let status = try await farm.get("/jobs/\(job.id)", as: JobStatus.self)
    #expect(status.state == .completed && status.output == nil)
    let deletion = try #require(status.outputDeletion)
    #expect(deletion.fileName == job.output?.fileName)
    #expect(deletion.byteCount == job.output?.byteCount)
    #expect(deletion.reason == "the job ended more than 30 days ago (--keep-outputs-days)")
    #expect(try await farm.get("/jobs", as: [JobStatus].self).first?.outputDeletion == deletion)

    let response = try await farm.send(.get, "/jobs/\(job.id)/output")
    #expect(response.status == .gone)
    let problem = try JSONDecoder().decode(ProblemDocument.self, from: await response.content())
    #expect(problem.type == ProblemType.outputDeleted.rawValue)
    #expect(
      problem.detail == "job '\(job.id)': \(deletion.sentence): submit the project again")
    #expect(try await farm.metric("sheaf_outputs_deleted_total") == 1)
    #expect(lines.contains("--keep-outputs-days", "job=\(job.id)"))
    // The file that is gone is not lost.
    try await farm.coordinator.scrubOnce()
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state == .completed)
  }

  @Test func `an old job is deleted with its file, but an unfinished one is not`() async throws {
    let (farm, job) = try await finished { $0.keepJobsDays = 30 }
    let other = try await farm.submit()
    try await tidy(farm, afterDays: 29.9)
    #expect(try await farm.send(.get, "/jobs/\(job.id)").status == .ok)
    try await tidy(farm, afterDays: 31)
    #expect(try await farm.send(.get, "/jobs/\(job.id)").status == .notFound)
    #expect(try await farm.send(.get, "/jobs/\(other.id)").status == .ok)
    #expect(try outputs(of: farm) == [])
    #expect(try await farm.metric("sheaf_jobs_deleted_total{cause=\"age\"}") == 1)
    #expect(try await farm.metric("sheaf_jobs_deleted_total{cause=\"request\"}") == 0)
    #expect(lines.contains("--keep-jobs-days", "job=\(job.id)"))
  }

  @Test func `an old job that cannot be deleted does not keep others`() async throws {
    let (farm, job) = try await finished { $0.keepOutputsDays = 30 }
    let other = try await farm.finish(farm.submit(), by: farm.register(name: "other"))
    // A folder in the place of the renamed file.
    let place = farm.directory.path("data/outputs/removed-\(job.id).mp4/folder")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    try await tidy(farm, afterDays: 31)
    #expect(lines.contains("cannot delete an old finished file", "job=\(job.id)"))
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).output != nil)
    #expect(try await farm.get("/jobs/\(other.id)", as: JobStatus.self).output == nil)
  }

  @Test func `a file that is being downloaded stays until the download ends`() async throws {
    let (farm, job) = try await finished { $0.keepOutputsDays = 1 }
    do {
      let download = try await farm.send(.get, "/jobs/\(job.id)/output")
      #expect(download.status == .ok)
      try await tidy(farm, afterDays: 3)
      #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).output != nil)
      #expect(try await download.content().isEmpty == false)
    }
    try await tidy(farm, afterDays: 3)
    #expect(try outputs(of: farm) == [])
  }

  @Test func `a job with a notification that is not delivered yet stays`() async throws {
    var storage = StorageSettings()
    storage.keepJobsDays = 1
    var notifications = NotificationSettings()
    notifications.mailTo = [try #require(MailAddress("ada@example.com"))]
    let farm = try await TestFarm(
      storage: storage, notifications: notifications, log: lines.log)
    let job = try await farm.finish(farm.submit(), by: farm.register())
    try await tidy(farm, afterDays: 3)
    #expect(try await farm.send(.get, "/jobs/\(job.id)").status == .ok)
    // A user may delete it. The log then says what was not delivered.
    #expect(try await farm.send(.delete, "/jobs/\(job.id)").status == .noContent)
    #expect(lines.contains("notification not delivered: its job was deleted", "job=\(job.id)"))
  }

  @Test func `a clock that leaps forward deletes nothing`() async throws {
    let (farm, job) = try await finished {
      $0.keepJobsDays = 1
      $0.keepOutputsDays = 1
    }
    try await tidy(farm, afterDays: 0)
    #expect(!lines.contains("check the clock"))
    try await farm.coordinator.tidy(at: Date(timeIntervalSinceNow: 365 * Self.day))
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).output != nil)
    #expect(lines.contains("check the clock", "until"))
  }

  @Test func `a finished file that the ledger says is deleted is deleted again`() async throws {
    let (farm, job) = try await finished { $0.keepOutputsDays = 30 }
    let path = farm.directory.path("data/outputs/\(job.id).mp4")
    let bytes = try Data(contentsOf: URL(filePath: path))
    try await tidy(farm, afterDays: 31)
    // As if a backup of the files had been restored without the ledger.
    try bytes.write(to: URL(filePath: path))
    #expect(try await farm.send(.get, "/jobs/\(job.id)/output").status == .gone)
    try await tidy(farm, afterDays: 31)
    #expect(try outputs(of: farm) == [])
  }
}

/// Keeps the lines of a log.
private final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])

  var log: Log { Log(.normal) { [self] line in lines.withLock { $0.append(line) } } }

  /// Whether a line contains all of some texts.
  func contains(_ texts: String...) -> Bool {
    lines.withLock { $0.contains { line in texts.allSatisfy { line.contains($0) } } }
  }
}
