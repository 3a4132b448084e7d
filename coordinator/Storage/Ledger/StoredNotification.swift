import FarmAPI
import Foundation
import Scheduling

/// A notification as the ledger keeps it.
package struct StoredNotification: Hashable, Sendable {
  /// Its id, which stays the same if it is sent again.
  package let id: String
  package let job: JobID
  package let event: JobNotification.Event
  /// The percentage that was reached, for the event `progress`.
  package let percent: Int?
  package let receiver: Receiver
  /// The JSON of a `JobNotification`.
  package let body: Data
  package let createdAt: Date
  package var state = NotificationDelivery.State.pending
  package var attempts = 0
  /// When it is tried next.
  package var nextAt: Date
  package var endedAt: Date?
  package var status: Int?
  package var error: String?

  package init(
    id: String, job: JobID, event: JobNotification.Event, percent: Int?, receiver: Receiver,
    body: Data, createdAt: Date
  ) {
    self.id = id
    self.job = job
    self.event = event
    self.percent = percent
    self.receiver = receiver
    self.body = body
    self.createdAt = createdAt
    nextAt = createdAt
  }

  /// The state of the job that it is about; `nil` if it can be any.
  package var jobState: JobState? {
    switch event {
    case .completed: .completed
    case .failed: .failed
    case .cancelled: .cancelled
    case .progress: nil
    }
  }

  /// The notification as the farm reports it.
  package var delivery: NotificationDelivery {
    NotificationDelivery(
      id: id, job: job.rawValue, event: event, percent: percent, receiver: receiver.shown,
      state: state, attempts: attempts, createdAt: createdAt,
      nextAttemptAt: state == .pending ? nextAt : nil, endedAt: endedAt, status: status,
      error: error)
  }

  /// Records a try.
  package mutating func note(_ outcome: NotificationOutcome) {
    attempts += 1
    (status, error) = (outcome.status, outcome.error)
    switch outcome.result {
    case .delivered(let date): (state, endedAt) = (.delivered, date)
    case .postponed(let date): nextAt = date
    case .gaveUp(let date): (state, endedAt) = (.failed, date)
    }
  }
}

/// The outcome of a try to deliver a notification.
package struct NotificationOutcome: Hashable, Sendable {
  package enum Result: Hashable, Sendable {
    case delivered(at: Date)
    /// It is tried again at a time.
    case postponed(until: Date)
    case gaveUp(at: Date)
  }

  package var result: Result
  /// The HTTP status of the response, if there was one.
  package var status: Int?
  /// The reason why it failed.
  package var error: String?

  package init(_ result: Result, status: Int? = nil, error: String? = nil) {
    self.result = result
    self.status = status
    self.error = error
  }
}
