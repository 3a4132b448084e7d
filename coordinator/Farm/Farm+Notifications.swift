import Crypto
import FarmAPI
import Foundation
import Preparation
import Scheduling
import Timeline

extension Farm {
  /// The steps of progress that are reported, in percent.
  private static let steps = [75, 50, 25]
  /// How long notifications are shown after they were delivered or failed.
  private static let memory: TimeInterval = 30 * 86400

  /// Transitions together with the notifications of jobs that they end, to be written in one transaction.
  func announced(_ transitions: [Transition]) -> [Transition] {
    transitions.flatMap { [$0] + announcements(of: $0) }
  }

  private func announcements(of transition: Transition) -> [Transition] {
    switch transition {
    case .jobCompleted(let job, _, at: let date): announcements(.completed, of: job, at: date)
    case .jobFailed(let job, let failure, at: let date),
      .outputLost(let job, let failure, at: let date):
      announcements(.failed, of: job, because: failure, at: date)
    case .jobCancelled(let job, at: let date): announcements(.cancelled, of: job, at: date)
    default: []
    }
  }

  private func announcements(
    _ event: JobNotification.Event, percent: Int? = nil, of id: JobID,
    because failure: JobFailure? = nil, at date: Date
  ) -> [Transition] {
    do {
      let receivers = notifications.receivers(of: event, notify: try notifyURL(of: id))
      guard !receivers.isEmpty, let status = try ledger.job(id)?.status else { return [] }
      let state: JobState =
        switch event {
        case .completed: .completed
        case .failed: .failed
        case .cancelled: .cancelled
        case .progress: status.state
        }
      let job = JobNotification.Job(
        id: id.rawValue, name: status.name, submitter: status.submitter, state: state,
        frameCount: status.frameCount,
        failure: failure.map {
          JobFailure(code: $0.code, message: PublicMessage.forSubmitters($0.message, data: nil))
        })
      return try receivers.map { receiver in
        let notification = JobNotification(
          id: SecureRandom.token(bytes: 15), event: event, percent: percent, time: date, job: job)
        return .notificationQueued(
          StoredNotification(
            id: notification.id, job: id, event: event, percent: percent, receiver: receiver,
            body: try FarmCoding.encode(notification), createdAt: date))
      }
    } catch {
      log.error("cannot prepare notifications: \(error)", .job(id))
      return []
    }
  }

  /// The URL that a job's submission names.
  private func notifyURL(of id: JobID) throws -> AssetURL? {
    if let job = jobs[id] { return job.notify }
    return try ledger.notify(of: id).flatMap { try? AssetURL($0) }
  }

  /// Reads what a job that starts has to report.
  func readNotifications(of id: JobID) throws {
    jobs[id]?.notify = try ledger.notify(of: id).flatMap { try? AssetURL($0) }
    guard jobs[id]?.notify != nil || notifications.notifiesAlways else { return }
    jobs[id]?.announcedPercent = try ledger.announcedPercent(of: id) ?? 0
  }

  /// Reports a step of a job's progress if it was reached.
  func announceProgress(of id: JobID, framesRendered: Int) {
    // While the job follows a recording, its frames are not all known.
    guard let job = jobs[id], job.facts?.isProvisional != true,
      let announced = job.announcedPercent, let all = job.frameCount,
      all > 0, let step = Self.steps.first(where: { framesRendered * 100 >= $0 * all }),
      step > announced, framesRendered < all
    else { return }
    jobs[id]?.announcedPercent = step
    let transitions = announcements(.progress, percent: step, of: id, at: clock.date())
    do {
      try write(transitions)
    } catch {
      log.error("cannot record a step of progress: \(error)", .job(id))
    }
  }

  /// The pending notifications that are due.
  func dueNotifications(without servers: Set<String>, limit: Int) throws -> [StoredNotification] {
    guard !isStopping else { return [] }
    return try ledger.dueNotifications(at: clock.date(), without: servers, limit: limit)
  }

  /// Records a try to deliver a notification.
  func note(_ outcome: NotificationOutcome, of notification: StoredNotification) {
    guard !isStopping else { return }
    writeLater(.notificationTried(notification.id, outcome))
  }

  /// The notifications of a job, oldest first.
  ///
  /// - Throws: ``FarmError`` if the job does not exist or the caller may not see it.
  func deliveries(of id: JobID, for caller: Caller) throws -> [NotificationDelivery] {
    _ = try row(of: id, for: caller)
    return try ledger.notifications(of: id).map(\.delivery)
  }

  /// The receivers and the latest deliveries.
  func webhookStatus() throws -> WebhookStatus {
    WebhookStatus(
      webhooks: notifications.webhooks.map(\.origin),
      hosts: notifications.origins.map(\.description),
      mail: notifications.mailTo.map(\.text), pending: try ledger.pendingNotificationCount(),
      deliveries: try ledger.latestNotifications(limit: 100).map(\.delivery))
  }

  /// Deletes notifications that ended long ago.
  func forgetNotifications(at now: Date) throws {
    try ledger.forgetNotifications(endedBefore: now - Self.memory)
  }
}
