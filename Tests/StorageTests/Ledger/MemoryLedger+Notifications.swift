import CoordinatorSupport
import FarmAPI
import Foundation
import Preparation
import Scheduling
import sheaf_coordinator

extension MemoryLedger {
  func notify(of job: JobID) throws -> String? {
    try storedSubmission(of: job).flatMap { try $0.facts().notify }
  }

  func pool(of job: JobID) throws -> String? {
    try storedSubmission(of: job).flatMap { try $0.facts().pool }
  }

  func notifications(of job: JobID) -> [StoredNotification] {
    records.notifications.filter { $0.job == job }
  }

  func latestNotifications(limit: Int) -> [StoredNotification] {
    Array(records.notifications.reversed().prefix(limit))
  }

  func dueNotifications(
    at date: Date, without servers: Set<String>, limit: Int
  ) -> [StoredNotification] {
    let due = records.notifications.filter {
      $0.state == .pending && $0.nextAt <= date && !servers.contains($0.receiver.server)
    }
    return Array(due.sorted { $0.nextAt < $1.nextAt }.prefix(limit))
  }

  func pendingNotificationCount() -> Int { records.notifications.count { $0.state == .pending } }

  func announcedPercent(of job: JobID) -> Int? {
    notifications(of: job).compactMap(\.percent).max()
  }

  func forgetNotifications(endedBefore date: Date) throws {
    try change { records in
      records.notifications.removeAll { $0.endedAt.map { $0 < date } ?? false }
    }
  }
}
