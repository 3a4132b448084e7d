import FarmAPI
import HTTP
import Scheduling

/// A client that watches the farm, or one of its jobs.
struct Subscriber: Sendable {
  /// The watched job; `nil` for every job and worker.
  let job: JobID?
  /// The watching caller. Submitters receive events only about their own jobs.
  let caller: Caller
  /// Returns whether the client may still watch.
  let isInForce: @Sendable () -> Bool
  /// Its place among the open streams.
  let place: Occupancy.Place?
  /// The states that its stream begins with.
  let opening: EventOpening
  /// The changes that follow them.
  let stream: AsyncStream<ServerSentEvent>.Continuation
}

extension Subscriber {
  /// Whether it receives a job's changes.
  fileprivate func watches(_ status: JobStatus) -> Bool {
    if let job { return job.rawValue == status.id }
    return caller.confinement == nil || caller.confinement == status.submitter
  }

  /// Whether it receives changes to workers.
  fileprivate var watchesWorkers: Bool { job == nil && caller.confinement == nil }
}

extension Farm {
  /// The time for which changes are collected before watchers are notified. It grows with the size of the last
  /// notification: even if a thousand workers change and hundreds of clients watch, the farm keeps time for the workers
  /// (`Benchmarks/load`).
  private var publishInterval: Duration {
    min(max(.milliseconds(250), .microseconds(10 * lastPublished)), .seconds(2))
  }

  /// The maximum number of events that wait for a client, unless there are more jobs and workers. All clients share the
  /// events themselves.
  private static let eventLimit = 1024
  /// The maximum number of events that wait for a client of one job. Each event supersedes those before it.
  private static let jobEventLimit = 16
  /// The number of changes that are sent before other calls get their turn.
  private static let changesPerTurn = 20
  /// The number of jobs that a stream of events begins with, in addition to those that have not ended.
  private static let recentCount = 100

  /// A stream of one job's state and changes, which ends with the job's last change, or of everything that the caller
  /// may see.
  ///
  /// - Parameter isInForce: returns whether the caller may still watch. Called before each notification, and when tokens
  ///   have changed.
  func events(
    of job: JobID?, for caller: Caller = .local, in place: Occupancy.Place? = nil,
    while isInForce: @escaping @Sendable () -> Bool = { true }
  ) throws -> AsyncStream<ServerSentEvent> {
    if let job { _ = try row(of: job, for: caller) }
    let opening = EventOpening(
      try job.map { [EventSubject.job($0)] } ?? recentSubjects(for: caller))
    let limit = job == nil ? max(Self.eventLimit, opening.count * 2) : Self.jobEventLimit
    let (changes, continuation) = AsyncStream.makeStream(
      of: ServerSentEvent.self, bufferingPolicy: .bufferingNewest(limit))
    guard !isStopping else {
      continuation.finish()
      return changes
    }
    lastSubscriber += 1
    let id = lastSubscriber
    subscribers[id] = Subscriber(
      job: job, caller: caller, isInForce: isInForce, place: place, opening: opening,
      stream: continuation)
    continuation.onTermination = { [weak self] _ in
      Task { await self?.unsubscribe(id) }
    }
    return AsyncStream(unfolding: { [weak self] in
      if !opening.isEmpty, let event = await self?.nextState(for: id) { return event }
      return await changes.first { _ in true }
    })
  }

  /// The jobs and workers that a stream of events begins with, in order.
  private func recentSubjects(for caller: Caller) throws -> [EventSubject] {
    let jobs = try ledger.recentJobs(of: caller.confinement, last: Self.recentCount)
    let workers = caller.confinement == nil ? workerStatuses() : []
    return jobs.map { EventSubject.job($0) }
      + workers.map { EventSubject.worker(WorkerID(rawValue: $0.id)) }
  }

  /// The next state that a watcher's stream begins with; `nil` if none is left or the stream has ended.
  private func nextState(for id: UInt64) -> ServerSentEvent? {
    guard let subscriber = subscribers[id], !isStopping else { return nil }
    guard subscriber.isInForce() else {
      subscriber.stream.finish()
      return nil
    }
    while let subject = subscriber.opening.next() {
      do {
        switch subject {
        case .job(let job):
          guard let status = try listedStatus(of: job), subscriber.watches(status) else {
            continue
          }
          if subscriber.job == job, status.state.isFinal { subscriber.stream.finish() }
          return try Self.event(status)
        case .worker(let worker):
          guard let status = scheduler.status(of: worker, at: clock.now()) else { continue }
          return try Self.event(status)
        }
      } catch {
        log.error("cannot send an event: \(error)")
      }
    }
    // A stream of one job that cannot begin with the job's state ends, so that its client asks again.
    if subscriber.job != nil { subscriber.stream.finish() }
    return nil
  }

  private func unsubscribe(_ id: UInt64) {
    subscribers[id] = nil
  }

  /// Schedules a notification of a job's change.
  func changed(_ job: JobID) {
    changedJobs.insert(job)
    publishSoon()
  }

  /// Schedules a notification of a worker's change.
  func changed(_ worker: WorkerID) {
    changedWorkers.insert(worker)
    publishSoon()
  }

  private func publishSoon() {
    guard publisher == nil, !isStopping else { return }
    let interval = publishInterval
    publisher = Task { [weak self] in
      try? await Task.sleep(for: interval)
      await self?.publish()
    }
  }

  /// Sends the changes in several turns, so that other calls are answered in between. Changes that happen meanwhile are
  /// sent the next time.
  private func publish() async {
    let subjects =
      changedJobs.map { EventSubject.job($0) } + changedWorkers.map { EventSubject.worker($0) }
    changedJobs = []
    changedWorkers = []
    lastPublished = subjects.count * subscribers.count
    endRevokedStreams()
    var problem: (any Error)?
    for (number, subject) in subjects.enumerated() {
      if number > 0, number.isMultiple(of: Self.changesPerTurn) { await Task.yield() }
      guard !subscribers.isEmpty, !isStopping else { break }
      do {
        switch subject {
        case .job(let job): try publish(job)
        case .worker(let worker): try publish(worker)
        }
      } catch {
        problem = error
        if case .job(let job) = subject { endStreams(of: job) }
      }
    }
    if let problem { log.error("cannot send all events: \(problem)") }
    publisher = nil
    if !changedJobs.isEmpty || !changedWorkers.isEmpty { publishSoon() }
  }

  /// Ends the streams of clients that may no longer watch.
  func endRevokedStreams() {
    for subscriber in subscribers.values where !subscriber.isInForce() {
      subscriber.stream.finish()
    }
  }

  /// Ends the streams of a job that missed a change, so that their clients ask again.
  private func endStreams(of job: JobID) {
    for subscriber in subscribers.values where subscriber.job == job {
      subscriber.stream.finish()
    }
  }

  private func publish(_ worker: WorkerID) throws {
    guard let status = scheduler.status(of: worker, at: clock.now()) else { return }
    let event = try Self.event(status)
    for subscriber in subscribers.values
    where subscriber.watchesWorkers && !subscriber.opening.contains(.worker(worker)) {
      subscriber.stream.yield(event)
    }
  }

  private func publish(_ job: JobID) throws {
    guard let status = try listedStatus(of: job) else { return }
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

  private static func event(_ status: JobStatus) throws -> ServerSentEvent {
    ServerSentEvent(
      event: "job", data: String(decoding: try FarmCoding.encode(status), as: UTF8.self))
  }

  private static func event(_ status: WorkerStatus) throws -> ServerSentEvent {
    ServerSentEvent(
      event: "worker", data: String(decoding: try FarmCoding.encode(status), as: UTF8.self))
  }
}
