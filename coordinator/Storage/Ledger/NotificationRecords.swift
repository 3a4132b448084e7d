import Foundation
import Scheduling

/// The ledger's records of notifications.
package protocol NotificationRecords {
  /// The URL that a job's submission names for its notifications, if it names one.
  func notify(of job: JobID) throws -> String?

  /// The pool that a job's submission asks for, if it asks for one.
  func pool(of job: JobID) throws -> String?

  /// The notifications of a job, oldest first.
  func notifications(of job: JobID) throws -> [StoredNotification]

  /// The latest notifications, newest first.
  func latestNotifications(limit: Int) throws -> [StoredNotification]

  /// The pending notifications that are due, the longest due first.
  ///
  /// - Parameter servers: leaves out those for these servers.
  func dueNotifications(
    at date: Date, without servers: Set<String>, limit: Int
  ) throws -> [StoredNotification]

  func pendingNotificationCount() throws -> Int

  /// The largest percentage that a job's notifications have reported; `nil` if none has.
  func announcedPercent(of job: JobID) throws -> Int?

  /// Deletes notifications that were delivered or failed before a date.
  func forgetNotifications(endedBefore date: Date) throws
}
