import Crypto
import FarmAPI
import Scheduling

/// The clients that watch the farm, and the changes that they have not been told yet.
///
/// It decides who receives what. The farm reads the states and decides when to send them.
///
/// Every event has an id, `EPOCH-NUMBER`: the epoch is different for each run of the coordinator. A client that has
/// received the event with a number has received everything up to it. The events that a stream begins with have the id
/// that the client sent, or the number 0 if it sent none, until the last one of them.
package struct EventFeed {
  /// The maximum number of events that wait for a client, unless there are more jobs and workers. All clients share the
  /// events themselves.
  private static let eventLimit = 1024
  /// The maximum number of events that wait for a client of one job. Each event supersedes those before it.
  private static let jobEventLimit = 16

  private let epoch: String
  private var log = ChangeLog()
  private var subscribers: [UInt64: Subscriber] = [:]
  private var lastSubscriber: UInt64 = 0
  private var changedJobs: Set<JobID> = []
  private var changedWorkers: Set<WorkerID> = []
  private var removed: [EventSubject] = []
  /// The number of events in the last notification of watchers.
  private var lastPublished = 0

  /// Creates a feed.
  ///
  /// - Parameter epoch: distinguishes this run of the coordinator from others.
  package init(epoch: String = SecureRandom.token(bytes: 6)) { self.epoch = epoch }

  /// The minimum time between two notifications of watchers. It grows with the size of the last notification: even if a
  /// thousand workers change and hundreds of clients watch, the farm keeps time for the workers (`Benchmarks/load`).
  package var interval: Duration {
    min(max(.milliseconds(150), .microseconds(10 * lastPublished)), .seconds(2))
  }

  /// Whether anyone watches.
  package var hasSubscribers: Bool { !subscribers.isEmpty }

  /// Whether there are changes that have not been taken.
  package var hasChanges: Bool {
    !changedJobs.isEmpty || !changedWorkers.isEmpty || !removed.isEmpty
  }

  /// How many events wait for a client, and which ones are dropped if there are more. A client of the whole farm must
  /// not miss one, so its stream ends instead.
  ///
  /// - Parameter opening: the states that its stream begins with.
  package static func buffering(
    of job: JobID?, _ opening: EventOpening
  ) -> AsyncStream<FarmEvent>.Continuation.BufferingPolicy {
    job == nil
      ? .bufferingOldest(max(eventLimit, opening.count * 2)) : .bufferingNewest(jobEventLimit)
  }

  /// The jobs and workers that have changed since the event with an id, and that id; `nil` if the id is unknown.
  package func resumption(after id: String?) -> (id: String, subjects: [EventSubject])? {
    guard let id, let dash = id.lastIndex(of: "-"), id[..<dash] == epoch,
      let number = UInt64(id[id.index(after: dash)...]),
      let subjects = log.subjects(since: number)
    else { return nil }
    return (id, subjects)
  }

  private func id(_ number: UInt64) -> String { "\(epoch)-\(number)" }

  /// Adds a client, and returns its number.
  package mutating func add(_ subscriber: Subscriber) -> UInt64 {
    var subscriber = subscriber
    subscriber.since = log.number
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
    case .removed(let job, of: _):
      changedJobs.remove(job)
      removed.append(subject)
    case .removedWorker(let worker):
      changedWorkers.remove(worker)
      removed.append(subject)
    }
  }

  /// Removes, numbers and returns the changes. Ends the streams of clients that may no longer watch.
  package mutating func takeChanges() -> [ChangeLog.Change] {
    let subjects =
      changedJobs.map { EventSubject.job($0) } + changedWorkers.map { EventSubject.worker($0) }
      + removed
    changedJobs = []
    changedWorkers = []
    removed = []
    lastPublished = subjects.count * subscribers.count
    endRevoked()
    return subjects.map { ChangeLog.Change(number: log.append($0), subject: $0) }
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
  package func openingEvent(_ status: JobStatus, for id: UInt64) throws -> FarmEvent? {
    guard let subscriber = subscribers[id], subscriber.watches(status) else { return nil }
    if subscriber.job != nil, status.state.isFinal { subscriber.stream.finish() }
    return try Self.event(.job, status, id: openingID(of: subscriber))
  }

  /// The event with which a client's stream begins.
  package func openingEvent(_ status: WorkerStatus, for id: UInt64) throws -> FarmEvent? {
    guard let subscriber = subscribers[id], subscriber.watchesWorkers else { return nil }
    return try Self.event(.worker, status, id: openingID(of: subscriber))
  }

  /// The event with which a client's stream begins; `nil` if the client could not see what was removed.
  package func openingEvent(
    removalOf subject: EventSubject, for id: UInt64
  ) throws -> FarmEvent? {
    guard let subscriber = subscribers[id], subscriber.watches(removalOf: subject) else {
      return nil
    }
    return try Self.event(.removed, Self.removal(of: subject), id: openingID(of: subscriber))
  }

  /// The id of the event that a client receives now as one of those that its stream begins with. Only after the last one
  /// has the client everything up to the time when it subscribed.
  private func openingID(of subscriber: Subscriber) -> String {
    guard subscriber.opening.isEmpty, subscriber.since > 0 else {
      return subscriber.resumedAfter ?? id(0)
    }
    return id(subscriber.since)
  }

  private static func event(
    _ kind: EventKind, _ value: some Encodable, id: String
  ) throws -> FarmEvent {
    FarmEvent(
      kind: kind, data: String(decoding: try FarmCoding.encode(value), as: UTF8.self), id: id)
  }

  private static func removal(of subject: EventSubject) -> Removal {
    switch subject {
    case .job(let job), .removed(let job, of: _): Removal(job: job.rawValue)
    case .worker(let worker), .removedWorker(let worker): Removal(worker: worker.rawValue)
    }
  }

  /// Sends a worker's state to the clients that may see it and whose streams do not begin with it later.
  package func send(_ status: WorkerStatus, number: UInt64) throws {
    let subject = EventSubject.worker(WorkerID(rawValue: status.id))
    try send(.worker, status, number) {
      $0.watchesWorkers && !$0.opening.contains(subject)
    }
  }

  /// Sends a job's state to the clients that may see it and whose streams do not begin with it later. If it is the job's
  /// last one, the streams of this job end.
  package func send(_ status: JobStatus, number: UInt64) throws {
    let job = JobID(rawValue: status.id)
    try send(.job, status, number) { $0.watches(status) && !$0.opening.contains(.job(job)) }
    if status.state.isFinal { endStreams(of: job) { !$0.opening.contains(.job(job)) } }
  }

  /// Whether some client watches this job and no other.
  package func isWatched(_ job: JobID) -> Bool {
    subscribers.values.contains { $0.job == job }
  }

  /// Sends a job's last state to the clients that watch only this job, whose streams end with it. They do not wait for
  /// the next notification.
  package mutating func send(end status: JobStatus) throws {
    let job = JobID(rawValue: status.id)
    try send(.job, status, log.append(.job(job))) {
      $0.job == job && !$0.opening.contains(.job(job))
    }
    endStreams(of: job) { !$0.opening.contains(.job(job)) }
  }

  /// Tells the clients that could see a job or worker that it is gone. The streams of this job end.
  package func send(removalOf subject: EventSubject, number: UInt64) throws {
    try send(.removed, Self.removal(of: subject), number) { $0.watches(removalOf: subject) }
    if case .removed(let job, of: _) = subject { endStreams(of: job) }
  }

  private func send(
    _ kind: EventKind, _ value: some Encodable, _ number: UInt64,
    to isConcerned: (Subscriber) -> Bool
  ) throws {
    let concerned = subscribers.values.filter(isConcerned)
    guard !concerned.isEmpty else { return }
    let event = try Self.event(kind, value, id: id(number))
    for subscriber in concerned {
      // The client asks again, and is told what it missed.
      if case .dropped = subscriber.stream.yield(event), subscriber.job == nil {
        subscriber.stream.finish()
      }
    }
  }

  /// Ends the streams of a job that missed a change, so that their clients ask again.
  package func endStreams(of job: JobID) { endStreams(of: job) { _ in true } }

  private func endStreams(of job: JobID, where isMeant: (Subscriber) -> Bool) {
    for subscriber in subscribers.values where subscriber.job == job && isMeant(subscriber) {
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
