import FarmAPI
import HTTP
import Scheduling

/// The clients that watch the farm, and the changes that they have not been told yet.
///
/// It decides who receives what. The farm reads the states and decides when to send them.
package struct EventFeed {
  /// The maximum number of events that wait for a client, unless there are more jobs and workers. All clients share the
  /// events themselves.
  private static let eventLimit = 1024
  /// The maximum number of events that wait for a client of one job. Each event supersedes those before it.
  private static let jobEventLimit = 16

  private var subscribers: [UInt64: Subscriber] = [:]
  private var lastSubscriber: UInt64 = 0
  private var changedJobs: Set<JobID> = []
  private var changedWorkers: Set<WorkerID> = []
  /// The number of events in the last notification of watchers.
  private var lastPublished = 0

  package init() {}

  /// The time for which changes are collected before watchers are notified. It grows with the size of the last
  /// notification: even if a thousand workers change and hundreds of clients watch, the farm keeps time for the workers
  /// (`Benchmarks/load`).
  package var interval: Duration {
    min(max(.milliseconds(250), .microseconds(10 * lastPublished)), .seconds(2))
  }

  /// Whether anyone watches.
  package var hasSubscribers: Bool { !subscribers.isEmpty }

  /// Whether there are changes that have not been taken.
  package var hasChanges: Bool { !changedJobs.isEmpty || !changedWorkers.isEmpty }

  /// The maximum number of events that wait for a client.
  ///
  /// - Parameter opening: the states that its stream begins with.
  package static func bufferLimit(of job: JobID?, _ opening: EventOpening) -> Int {
    job == nil ? max(eventLimit, opening.count * 2) : jobEventLimit
  }

  /// Adds a client, and returns its number.
  package mutating func add(_ subscriber: Subscriber) -> UInt64 {
    lastSubscriber += 1
    subscribers[lastSubscriber] = subscriber
    return lastSubscriber
  }

  /// Removes a client whose stream has ended.
  package mutating func remove(_ id: UInt64) { subscribers[id] = nil }

  /// Notes a change.
  package mutating func note(_ subject: EventSubject) {
    switch subject {
    case .job(let job): changedJobs.insert(job)
    case .worker(let worker): changedWorkers.insert(worker)
    }
  }

  /// Removes and returns the jobs and workers that have changed. Ends the streams of clients that may no longer watch.
  package mutating func takeChanges() -> [EventSubject] {
    let subjects =
      changedJobs.map { EventSubject.job($0) } + changedWorkers.map { EventSubject.worker($0) }
    changedJobs = []
    changedWorkers = []
    lastPublished = subjects.count * subscribers.count
    endRevoked()
    return subjects
  }

  /// The next job or worker whose state a client's stream begins with; `nil` if none is left or the stream has ended.
  package func nextSubject(for id: UInt64) -> EventSubject? {
    guard let subscriber = subscribers[id] else { return nil }
    guard subscriber.isInForce() else {
      subscriber.stream.finish()
      return nil
    }
    if let subject = subscriber.opening.next() { return subject }
    // A stream of one job that cannot begin with the job's state ends, so that its client asks again.
    if subscriber.job != nil { subscriber.stream.finish() }
    return nil
  }

  /// The event with which a client's stream begins; `nil` if the client may not see the job.
  package func openingEvent(
    _ status: JobStatus, for id: UInt64
  ) throws -> ServerSentEvent? {
    guard let subscriber = subscribers[id], subscriber.watches(status) else { return nil }
    if subscriber.job != nil, status.state.isFinal { subscriber.stream.finish() }
    return try Self.event(status)
  }

  /// An event with a worker's state.
  package static func event(_ status: WorkerStatus) throws -> ServerSentEvent {
    ServerSentEvent(
      event: "worker", data: String(decoding: try FarmCoding.encode(status), as: UTF8.self))
  }

  private static func event(_ status: JobStatus) throws -> ServerSentEvent {
    ServerSentEvent(
      event: "job", data: String(decoding: try FarmCoding.encode(status), as: UTF8.self))
  }

  /// Sends a worker's state to the clients that may see it and whose streams do not begin with it later.
  package func send(_ status: WorkerStatus) throws {
    let event = try Self.event(status)
    let subject = EventSubject.worker(WorkerID(rawValue: status.id))
    for subscriber in subscribers.values
    where subscriber.watchesWorkers && !subscriber.opening.contains(subject) {
      subscriber.stream.yield(event)
    }
  }

  /// Sends a job's state to the clients that may see it and whose streams do not begin with it later. If
  /// it is the job's last one, the streams of this job end.
  package func send(_ status: JobStatus) throws {
    let job = JobID(rawValue: status.id)
    let concerned = subscribers.values.filter {
      $0.watches(status) && !$0.opening.contains(.job(job))
    }
    guard !concerned.isEmpty else { return }
    let event = try Self.event(status)
    for subscriber in concerned {
      subscriber.stream.yield(event)
      if subscriber.job == job, status.state.isFinal { subscriber.stream.finish() }
    }
  }

  /// Ends the streams of a job that missed a change, so that their clients ask again.
  package func endStreams(of job: JobID) {
    for subscriber in subscribers.values where subscriber.job == job {
      subscriber.stream.finish()
    }
  }

  /// Ends the streams of clients that may no longer watch.
  package func endRevoked() {
    for subscriber in subscribers.values where !subscriber.isInForce() {
      subscriber.stream.finish()
    }
  }

  /// Ends every stream.
  package mutating func end() {
    for subscriber in subscribers.values { subscriber.stream.finish() }
    subscribers = [:]
  }
}
