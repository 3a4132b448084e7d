import FarmAPI
import Foundation
import Scheduling
import Synchronization

/// Delivers notifications, and tries again those that failed.
///
/// The ledger holds the queue, so it survives a restart, and memory holds only those that are being sent. Each server has
/// its own lane, which waits for no other: a server that is down or slow delays only its own notifications, and gets one
/// request at a time.
final class Notifier: Sendable {
  private let farm: Farm
  private let webhooks: WebhookSender?
  private let mail: MailSender
  private let date: @Sendable () -> Date
  private let log: Log
  private let lanes = Mutex(Lanes())

  /// The servers without a new lane: each has one already, or failed recently.
  private struct Lanes {
    /// The servers that failed recently, with the end of their rest.
    var resting: [String: Date] = [:]
    /// The servers with a lane at the moment.
    var busy: Set<String> = []

    /// The servers that get no new lane.
    mutating func closed(at now: Date) -> Set<String> {
      resting = resting.filter { $0.value > now }
      return busy.union(resting.keys)
    }
  }

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
    await withDiscardingTaskGroup { group in
      group.addTask { [farm] in
        while (try? await Task.sleep(for: Self.interval)) != nil { farm.wakeNotifier.yield() }
      }
      // A lane that is still open must not delay notifications for other servers.
      for await _ in farm.notifierWakeups { group.addTask { await self.deliverDue() } }
    }
  }

  /// Tries every notification that is due once, except those for servers that have a lane already.
  func deliverDue() async {
    await withTaskGroup(of: Void.self) { group in
      while !Task.isCancelled {
        for (server, notifications) in await openLanes() {
          group.addTask {
            await self.deliver(notifications, to: server)
            self.lanes.withLock { _ = $0.busy.remove(server) }
          }
        }
        // The end of a lane may leave more to do. The others are not waited for.
        guard await group.next() != nil else { return }
      }
    }
  }

  /// Opens lanes for the servers of notifications that are due, and returns these by server.
  private func openLanes() async -> [String: [StoredNotification]] {
    // A try whose outcome cannot be recorded would be repeated forever.
    guard await farm.checkLedger() == nil else { return [:] }
    let closed = lanes.withLock { [now = date()] in $0.closed(at: now) }
    do {
      let due = try await farm.dueNotifications(without: closed, limit: Self.batch)
      let byServer = Dictionary(grouping: due) { $0.receiver.server }
      // Another call may have opened some of these lanes meanwhile, or closed one that failed.
      return lanes.withLock { lanes in
        byServer.filter { server, _ in
          lanes.busy.count < Self.batch && lanes.resting[server] == nil
            && lanes.busy.insert(server).inserted
        }
      }
    } catch {
      log.error("cannot read the notifications: \(error)")
      return [:]
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
    lanes.withLock { $0.resting[server] = end }
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
