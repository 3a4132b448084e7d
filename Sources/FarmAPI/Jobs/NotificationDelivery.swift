import Foundation

/// A notification on its way to a receiver, as the farm reports it.
public struct NotificationDelivery: Hashable, Codable, Sendable {
  /// The state of a delivery.
  public enum State: String, Hashable, Codable, Sendable, CaseIterable {
    /// It will be tried, for the first time or again.
    case pending = "pending"
    /// The receiver accepted it.
    case delivered = "delivered"
    /// The receiver never accepted it, and it is not tried again.
    case failed = "failed"
  }

  /// Its id, which the receiver gets in `Sheaf-Delivery`.
  public var id: String
  /// The id of the job that the notification is about.
  public var job: String
  /// The event that the job reached.
  public var event: JobNotification.Event
  /// The percentage that was reached, for the event `progress`.
  public var percent: Int?
  /// The receiver: the scheme and the host of a URL, or `mailto:` and an address.
  public var receiver: String
  /// Whether the receiver has accepted it, or may still do so.
  public var state: State
  /// The number of tries.
  public var attempts: Int
  /// When it was created.
  public var createdAt: Date
  /// When it is tried next, if it is pending.
  public var nextAttemptAt: Date?
  /// When it was delivered or failed.
  public var endedAt: Date?
  /// The HTTP status of the last response, if there was one.
  public var status: Int?
  /// The reason why the last try failed.
  public var error: String?

  /// Creates a description of a delivery.
  public init(
    id: String, job: String, event: JobNotification.Event, percent: Int?, receiver: String,
    state: State, attempts: Int, createdAt: Date, nextAttemptAt: Date?, endedAt: Date?,
    status: Int?, error: String?
  ) {
    self.id = id
    self.job = job
    self.event = event
    self.percent = percent
    self.receiver = receiver
    self.state = state
    self.attempts = attempts
    self.createdAt = createdAt
    self.nextAttemptAt = nextAttemptAt
    self.endedAt = endedAt
    self.status = status
    self.error = error
  }
}

/// The receivers of a farm's notifications, and the latest deliveries.
public struct WebhookStatus: Hashable, Codable, Sendable {
  /// The schemes and hosts of the URLs that get the events of every job.
  public var webhooks: [String]
  /// The origins that jobs may name.
  public var hosts: [String]
  /// The addresses that get mail about every job.
  public var mail: [String]
  /// The number of deliveries that are pending.
  public var pending: Int
  /// The latest deliveries, newest first; at most 100.
  public var deliveries: [NotificationDelivery]

  /// Creates a status.
  public init(
    webhooks: [String], hosts: [String], mail: [String], pending: Int,
    deliveries: [NotificationDelivery]
  ) {
    self.webhooks = webhooks
    self.hosts = hosts
    self.mail = mail
    self.pending = pending
    self.deliveries = deliveries
  }
}
