import FarmAPI
import Foundation
import Scheduling
import Synchronization

/// Delivers notifications, and tries again those that failed.
///
/// The ledger holds the queue, so it survives a restart, and memory holds only those that are being sent. Each server has
/// its own lane: one that is down or slow does not delay the others, and gets one request at a time.
final class Notifier: Sendable {
  private let farm: Farm
  private let webhooks: WebhookSender?
  private let mail: MailSender
  private let date: @Sendable () -> Date
  private let log: Log
  /// The servers that failed recently, with the end of their rest.
  private let resting = Mutex<[String: Date]>([:])

  /// The number of notifications that are read from the ledger at a time.
  private static let batch = 64
  /// The number of notifications for one server before it is the turn of new ones for others.
  private static let laneLength = 3
  /// How often the ledger is asked for notifications that have become due.
  private static let interval = Duration.seconds(5)
  /// How long a mail program may run.
  private static let mailTimeout = Duration.seconds(30)

  init(
    farm: Farm, _ settings: NotificationSettings, secret: Data?,
    date: @escaping @Sendable () -> Date, log: Log
  ) {
    self.farm = farm
    webhooks = secret.map { WebhookSender(settings, secret: $0) }
    mail = MailSender(program: settings.mailProgram, timeout: Self.mailTimeout)
    self.date = date
    self.log = log
  }

  /// Delivers notifications when they are due, until the task is cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [farm] in
        while (try? await Task.sleep(for: Self.interval)) != nil { farm.wakeNotifier.yield() }
      }
      group.addTask { [self] in
        for await _ in farm.notifierWakeups { await deliverDue() }
      }
      await group.waitForAll()
    }
  }

  /// Tries every notification that is due once.
  func deliverDue() async {
    var isFirst = true
    while !Task.isCancelled {
      // A try whose outcome cannot be recorded would be repeated forever.
      guard await farm.checkLedger() == nil else { return }
      let now = date()
      let servers = resting.withLock { resting in
        resting = resting.filter { $0.value > now }
        return Set(resting.keys)
      }
      let due: [StoredNotification]
      do {
        due = try await farm.dueNotifications(without: servers, limit: Self.batch)
      } catch {
        if isFirst { log.error("cannot read the notifications: \(error)") }
        return
      }
      guard !due.isEmpty else { return }
      isFirst = false
      let lanes = Dictionary(grouping: due) { $0.receiver.server }
      await withTaskGroup(of: Void.self) { group in
        for (server, notifications) in lanes {
          group.addTask { await self.deliver(notifications, to: server) }
        }
      }
    }
  }

  /// Tries the notifications for one server, up to the first that fails.
  private func deliver(_ notifications: [StoredNotification], to server: String) async {
    for notification in notifications.prefix(Self.laneLength) {
      guard !Task.isCancelled else { return }
      do {
        let status = try await send(notification)
        await record(
          NotificationOutcome(.delivered(at: date()), status: status), of: notification)
      } catch let failure as NotificationFailure {
        await note(failure, of: notification)
        // A receiver that rejects one notification may accept others of its server.
        if let status = failure.status, status < 500, status != 429 { continue }
        rest(server)
        return
      } catch is CancellationError {
        // The coordinator is stopping: the next one sends it again.
        return
      } catch {
        await note(NotificationFailure("\(error)"), of: notification)
        rest(server)
        return
      }
    }
  }

  /// Sends nothing to a server for a while.
  private func rest(_ server: String) {
    let end = date() + NotificationPace.rest / .seconds(1)
    resting.withLock { $0[server] = end }
  }

  private func send(_ notification: StoredNotification) async throws -> Int? {
    switch notification.receiver {
    case .webhook(let url):
      guard let webhooks else {
        throw NotificationFailure("there is no secret: set --webhook-secret-file")
      }
      return try await webhooks.send(notification, to: url, at: date())
    case .mail(let address):
      try await mail.send(notification, to: address)
      return nil
    }
  }

  private func note(_ failure: NotificationFailure, of notification: StoredNotification) async {
    let pause = failure.isFinal ? nil : NotificationPace.pause(after: notification.attempts + 1)
    let result: NotificationOutcome.Result =
      pause.map { .postponed(until: date() + $0 / .seconds(1)) } ?? .gaveUp(at: date())
    log.error(
      pause.map { "notification not delivered: trying again in \($0.components.seconds) s" }
        ?? "notification not delivered: giving up",
      [
        "job": notification.job.rawValue, "event": notification.event.rawValue,
        "receiver": notification.receiver.shown, "delivery": notification.id,
        "try": "\(notification.attempts + 1)", "because": failure.reason,
      ])
    await record(
      NotificationOutcome(result, status: failure.status, error: failure.reason),
      of: notification)
  }

  private func record(_ outcome: NotificationOutcome, of notification: StoredNotification) async {
    await farm.note(outcome, of: notification)
  }
}
