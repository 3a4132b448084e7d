import Foundation

/// The report of a notification on a job: the body of a webhook's request.
public struct JobNotification: Hashable, Codable, Sendable {
  /// The event that the job reached.
  public enum Event: String, Hashable, Codable, Sendable, CaseIterable {
    /// Its file is finished.
    case completed = "completed"
    /// It failed.
    case failed = "failed"
    /// It was cancelled.
    case cancelled = "cancelled"
    /// A quarter, half or three quarters of its frames are rendered.
    case progress = "progress"
  }

  /// The job at that time.
  public struct Job: Hashable, Codable, Sendable {
    /// The id that the coordinator gave it when it was accepted.
    public var id: String
    /// The name in its submission, which need not be unique.
    public var name: String
    /// The name of its submitter's token.
    public var submitter: String?
    /// The state when the event happened; the job may have moved on.
    public var state: JobState
    /// The number of frames of its output, once it is planned.
    public var frameCount: Int?
    /// The reason why it failed.
    public var failure: JobFailure?

    /// Creates a description of a job.
    public init(
      id: String, name: String, submitter: String?, state: JobState, frameCount: Int?,
      failure: JobFailure?
    ) {
      self.id = id
      self.name = name
      self.submitter = submitter
      self.state = state
      self.frameCount = frameCount
      self.failure = failure
    }
  }

  /// The id of the delivery, which stays the same if it is sent again.
  public var id: String
  /// The reason for the notification.
  public var event: Event
  /// The percentage of rendered frames that was reached, for the event `progress`: 25, 50 or 75.
  public var percent: Int?
  /// When it happened.
  public var time: Date
  /// The job as it was when the event happened.
  public var job: Job

  /// Creates a notification.
  public init(id: String, event: Event, percent: Int?, time: Date, job: Job) {
    self.id = id
    self.event = event
    self.percent = percent
    self.time = time
    self.job = job
  }
}
