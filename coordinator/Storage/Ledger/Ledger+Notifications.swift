import FarmAPI
import Foundation
import SQL
import Scheduling

extension Ledger {
  package func notify(of job: JobID) throws -> String? {
    try database.first("SELECT submission FROM jobs WHERE id = ?1", job.rawValue) {
      try FarmCoding.decode(JobSubmission.self, from: $0.get("submission")).notify
    } ?? nil
  }

  package func pool(of job: JobID) throws -> String? {
    try database.first("SELECT submission FROM jobs WHERE id = ?1", job.rawValue) {
      try FarmCoding.decode(JobSubmission.self, from: $0.get("submission")).pool
    } ?? nil
  }

  package func notifications(of job: JobID) throws -> [StoredNotification] {
    try database.rows(
      "SELECT * FROM notifications WHERE job = ?1 ORDER BY number", job.rawValue
    ) { try Self.notification($0) }.compactMap(\.self)
  }

  package func latestNotifications(limit: Int) throws -> [StoredNotification] {
    try readable(limit) { bound in
      try database.rows("SELECT * FROM notifications ORDER BY number DESC LIMIT ?1", bound) {
        try Self.notification($0)
      }
    }
  }

  package func dueNotifications(
    at date: Date, without servers: Set<String>, limit: Int
  ) throws -> [StoredNotification] {
    let closed = String(decoding: try FarmCoding.encode(servers.sorted()), as: UTF8.self)
    return try readable(limit) { bound in
      try database.rows(
        """
        SELECT * FROM notifications WHERE state = 'pending' AND next_at <= ?1
          AND server NOT IN (SELECT value FROM \(database.dialect.elements("?2", "closed"))) ORDER BY next_at, number LIMIT ?3
        """, date.timeIntervalSince1970, closed, bound
      ) { try Self.notification($0) }
    }
  }

  /// The first rows that can be read. Those of a later version, which cannot, must not hide the others.
  ///
  /// - Parameter rows: returns at most a number of rows, with `nil` for those that cannot be read.
  private func readable(
    _ limit: Int, _ rows: (_ bound: Int) throws -> [StoredNotification?]
  ) throws -> [StoredNotification] {
    var bound = limit
    while true {
      let found = try rows(bound)
      let readable = found.compactMap(\.self)
      if readable.count >= limit || found.count < bound { return Array(readable.prefix(limit)) }
      bound *= 2
    }
  }

  package func pendingNotificationCount() throws -> Int {
    try database.first("SELECT count(*) AS count FROM notifications WHERE state = 'pending'") {
      try $0.get("count")
    } ?? 0
  }

  package func announcedPercent(of job: JobID) throws -> Int? {
    try database.first(
      "SELECT max(percent) AS percent FROM notifications WHERE job = ?1", job.rawValue
    ) { try $0.get("percent") as Int? } ?? nil
  }

  package func forgetNotifications(endedBefore date: Date) throws {
    try database.run(
      "DELETE FROM notifications WHERE state <> 'pending' AND ended_at < ?1",
      date.timeIntervalSince1970)
  }

  /// Stores a notification, unless its job is not in the state that it reports.
  func queue(_ notification: StoredNotification) throws {
    try database.run(
      """
      INSERT INTO notifications
        (id, job, event, percent, receiver, server, body, state, attempts, created_at, next_at)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, 'pending', 0, ?8, ?8
      WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?2 AND (state = ?9 OR ?9 IS NULL))
      """, notification.id, notification.job.rawValue, notification.event.rawValue,
      notification.percent, notification.receiver.description, notification.receiver.server,
      notification.body, notification.createdAt.timeIntervalSince1970,
      notification.jobState?.rawValue)
  }

  /// Records a try to deliver a notification.
  func note(_ outcome: NotificationOutcome, of id: String) throws {
    let (state, next, end): (NotificationDelivery.State, Date?, Date?) =
      switch outcome.result {
      case .delivered(let date): (.delivered, nil, date)
      case .postponed(let date): (.pending, date, nil)
      case .gaveUp(let date): (.failed, nil, date)
      }
    try database.run(
      """
      UPDATE notifications SET state = ?2, attempts = attempts + 1,
        next_at = coalesce(?3, next_at), ended_at = ?4, status = ?5, error = ?6
      WHERE id = ?1 AND state = 'pending'
      """, id, state.rawValue, next?.timeIntervalSince1970, end?.timeIntervalSince1970,
      outcome.status, outcome.error)
  }

  /// Reads a row; `nil` if it was written by a later version.
  private static func notification(_ row: borrowing Row) throws -> StoredNotification? {
    guard let event = JobNotification.Event(rawValue: try row.get("event")),
      let receiver = Receiver(try row.get("receiver") as String),
      let state = NotificationDelivery.State(rawValue: try row.get("state"))
    else { return nil }
    var notification = StoredNotification(
      id: try row.get("id"), job: JobID(rawValue: try row.get("job")), event: event,
      percent: try row.get("percent"), receiver: receiver, body: try row.get("body"),
      createdAt: Date(timeIntervalSince1970: try row.get("created_at")))
    notification.state = state
    notification.attempts = try row.get("attempts")
    notification.nextAt = Date(timeIntervalSince1970: try row.get("next_at"))
    notification.endedAt = (try row.get("ended_at") as Double?)
      .map(Date.init(timeIntervalSince1970:))
    notification.status = try row.get("status")
    notification.error = try row.get("error")
    return notification
  }
}
