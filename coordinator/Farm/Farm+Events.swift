import FarmAPI
import HTTP
import Scheduling

extension Farm {
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
    let (changes, continuation) = AsyncStream.makeStream(
      of: ServerSentEvent.self,
      bufferingPolicy: .bufferingNewest(EventFeed.bufferLimit(of: job, opening)))
    guard !isStopping else {
      continuation.finish()
      return changes
    }
    let id = feed.add(
      Subscriber(
        job: job, caller: caller, isInForce: isInForce, place: place, opening: opening,
        stream: continuation))
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
    guard !isStopping else { return nil }
    while let subject = feed.nextSubject(for: id) {
      do {
        if let event = try openingEvent(of: subject, for: id) { return event }
      } catch {
        log.error("cannot send an event: \(error)")
      }
    }
    return nil
  }

  private func openingEvent(
    of subject: EventSubject, for id: UInt64
  ) throws -> ServerSentEvent? {
    switch subject {
    case .job(let job): try listedStatus(of: job).flatMap { try feed.openingEvent($0, for: id) }
    case .worker(let worker):
      try scheduler.status(of: worker, at: clock.now()).map { try EventFeed.event($0) }
    }
  }

  private func unsubscribe(_ id: UInt64) { feed.remove(id) }

  /// Schedules a notification of a job's change.
  func changed(_ job: JobID) {
    forgetDrawing(of: job)
    feed.note(.job(job))
    publishSoon()
  }

  /// Schedules a notification of a worker's change.
  func changed(_ worker: WorkerID) {
    feed.note(.worker(worker))
    publishSoon()
  }

  private func publishSoon() {
    guard publisher == nil, !isStopping else { return }
    let interval = feed.interval
    publisher = Task { [weak self] in
      try? await Task.sleep(for: interval)
      await self?.publish()
    }
  }

  /// Sends the changes in several turns, so that other calls are answered in between. Changes that happen meanwhile are
  /// sent the next time.
  private func publish() async {
    var problem: (any Error)?
    for (number, subject) in feed.takeChanges().enumerated() {
      if number > 0, number.isMultiple(of: Self.changesPerTurn) { await Task.yield() }
      guard feed.hasSubscribers, !isStopping else { break }
      do { try publish(subject) } catch {
        problem = error
        if case .job(let job) = subject { feed.endStreams(of: job) }
      }
    }
    if let problem { log.error("cannot send all events: \(problem)") }
    publisher = nil
    if feed.hasChanges { publishSoon() }
  }

  private func publish(_ subject: EventSubject) throws {
    switch subject {
    case .job(let job):
      if let status = try listedStatus(of: job) { try feed.send(status) }
    case .worker(let worker):
      if let status = scheduler.status(of: worker, at: clock.now()) { try feed.send(status) }
    }
  }
}
