import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Timeline
import sheaf_coordinator

/// A farm whose clock a test moves, and whose notifications are delivered when the test says so.
struct NotifiedFarm {
  let farm: TestFarm
  private let time: Time

  /// A clock that stands still until it is moved.
  private final class Time: Sendable {
    let now = Mutex(Date(timeIntervalSince1970: 1_795_000_000))
  }

  init(
    _ settings: NotificationSettings, in directory: TemporaryDirectory? = nil,
    ledger: Coordinator.LedgerLocation = .inMemory
  ) async throws {
    let time = Time()
    self.time = time
    farm = try await TestFarm(
      in: directory, ledger: ledger, notifications: settings,
      calendar: { time.now.withLock { $0 } })
  }

  /// Moves the clock, and tries what is due.
  func deliver(after seconds: Double = 0) async {
    time.now.withLock { $0 += seconds }
    await farm.coordinator.notifyOnce()
  }

  /// Submits a job and cancels it, which causes one notification.
  func cancelled(notify: String? = nil) async throws -> JobStatus {
    let job = try await submit(notify: notify)
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    return job
  }

  func submit(name: String = "cut", notify: String? = nil) async throws -> JobStatus {
    try await offer(name: name, notify: notify).wire()
  }

  /// The response to a submission.
  func offer(name: String = "cut", notify: String?) async throws -> Response {
    let asset = try await farm.upload(Data("a clip".utf8))
    return try await farm.post(
      "/jobs",
      JobSubmission(
        name: name, project: TestFarm.project, assets: ["a.mp4": asset], rerenders: true,
        notify: notify))
  }

  /// The deliveries of a job.
  func deliveries(of job: JobStatus) async throws -> [NotificationDelivery] {
    try await farm.get("/jobs/\(job.id)/deliveries")
  }
}
