import FarmAPI
import Scheduling

extension Farm {
  /// The number of changes that are sent before other calls get their turn.
  private static let changesPerTurn = 20
  /// The number of jobs that a stream of events begins with, in addition to those that have not ended.
  private static let recentCount = 100
  /// The time for which changes that follow one another closely are collected, if no notification came just before.
  private static let promptness = Duration.milliseconds(20)
  /// The number of waiting jobs whose places are announced when they change.
  private static let announcedPlaces = 20

  /// A stream of one job's state and changes, which ends with the job's last change, or of everything that the caller
  /// may see.
  ///
  /// - Parameters:
  ///   - last: the id of the last event that the client has received. If the changes since then are known, the stream
  ///     begins with the states that have changed.
  ///   - isInForce: returns whether the caller may still watch. Called before each notification, and when tokens have
  ///     changed.
  func events(
    of job: JobID?, for caller: Caller = .local, after last: String? = nil,
    in slot: Occupancy.Slot? = nil, while isInForce: @escaping @Sendable () -> Bool = { true }
  ) throws -> AsyncStream<FarmEvent> {
    let resumption = feed.resumption(after: last)
    let opening = EventOpening(try subjects(of: job, for: caller, since: resumption?.subjects))
    let (changes, continuation) = AsyncStream.makeStream(
      of: FarmEvent.self, bufferingPolicy: EventFeed.buffering(of: job, opening))
    guard !isStopping else {
      continuation.finish()
      return changes
    }
    let id = feed.add(
      Subscriber(
        job: job, caller: caller, isInForce: isInForce, slot: slot, opening: opening,
        resumedAfter: resumption?.id, stream: continuation))
    continuation.onTermination = { [weak self] _ in
      Task { await self?.unsubscribe(id) }
    }
    return AsyncStream(unfolding: { [weak self] in
      var event: FarmEvent?
      if !opening.isEmpty {
        event = await self?.nextState(for: id)
        // The stream has ended. The changes that wait must not follow states that were never sent.
        guard event != nil || opening.isEmpty else { return nil }
      }
      if event == nil { event = await changes.first { _ in true } }
      if opening.begin() { event?.isFirst = true }
      return event
    })
  }

  /// The jobs and workers that a stream of events begins with, in order.
  ///
  /// - Parameter changed: what has changed since the client's last stream, if known.
  private func subjects(
    of job: JobID?, for caller: Caller, since changed: [EventSubject]?
  ) throws -> [EventSubject] {
    if let job {
      let isFinal = try row(of: job, for: caller).status.state.isFinal
      let isKnown = changed.map { !$0.contains(.job(job)) && !isFinal } ?? false
      return isKnown ? [] : [.job(job)]
    }
    // Whether the caller may see a job is decided when its state is read.
    return try changed ?? recentSubjects(for: caller)
  }

  /// The jobs and workers that a stream of events begins with, in order.
  private func recentSubjects(for caller: Caller) throws -> [EventSubject] {
    let jobs = try ledger.recentJobs(of: caller.confinement, last: Self.recentCount)
    let workers = caller.confinement == nil ? workerStatuses() : []
    return jobs.map { EventSubject.job($0) }
      + workers.map { EventSubject.worker(WorkerID(rawValue: $0.id)) }
  }

  /// The next state that a watcher's stream begins with; `nil` if none is left or the stream has ended.
  private func nextState(for id: UInt64) -> FarmEvent? {
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
  ) throws -> FarmEvent? {
    switch subject {
    case .job(let job): try listedStatus(of: job).flatMap { try feed.openingEvent($0, for: id) }
    case .worker(let worker): try status(of: worker).flatMap { try feed.openingEvent($0, for: id) }
    case .removed, .removedWorker: try feed.openingEvent(removalOf: subject, for: id)
    }
  }

  private func unsubscribe(_ id: UInt64) { feed.remove(id) }

  /// Schedules a notification of a job's change.
  func changed(_ job: JobID) {
    forgetDrawing(of: job)
    feed.note(.job(job))
    publishSoon()
  }

  /// Tells the clients that wait for a job that it has ended.
  func announceEnd(of job: JobID) {
    guard feed.isWatched(job), let status = try? listedStatus(of: job), status.state.isFinal
    else { return }
    do { try feed.send(end: status) } catch {
      log.error("cannot send an event: \(error)")
      feed.endStreams(of: job)
    }
  }

  /// Schedules a notification of a worker's change.
  func changed(_ worker: WorkerID) {
    feed.note(.worker(worker))
    publishSoon()
  }

  /// Schedules a notification that a job was deleted.
  func removed(_ job: JobID, of submitter: String?) {
    feed.note(.removed(job, of: submitter))
    publishSoon()
  }

  /// Schedules a notification that a worker is gone.
  func removed(_ worker: WorkerID) {
    feed.note(.removedWorker(worker))
    publishSoon()
  }

  /// Publishes changes at once, unless the last notification was less than the feed's interval ago.
  private func publishSoon() {
    guard publisher == nil, !isStopping else { return }
    let sinceLast = lastPublication.map { clock.now() - $0 } ?? feed.interval
    let wait = max(Self.promptness, feed.interval - sinceLast)
    // A heartbeat is urgent, and what it changes is not.
    publisher = Task(priority: .medium) { [weak self] in
      try? await Task.sleep(for: wait)
      await self?.publish()
    }
  }

  /// Sends the changes in several turns, so that other calls are answered in between. Changes that happen meanwhile are
  /// sent the next time.
  private func publish() async {
    lastPublication = clock.now()
    noteMovedJobs()
    var problem: (any Error)?
    for (number, change) in feed.takeChanges().enumerated() {
      if number > 0, number.isMultiple(of: Self.changesPerTurn) { await Task.yield() }
      guard feed.hasSubscribers, !isStopping else { break }
      do { try publish(change) } catch {
        problem = error
        if case .job(let job) = change.subject { feed.endStreams(of: job) }
      }
    }
    // Logged once, not several times a second.
    if let problem, "\(problem)" != eventProblem {
      log.error("cannot send all events: \(problem)")
    }
    eventProblem = problem.map { "\($0)" }
    publisher = nil
    if feed.hasChanges { publishSoon() }
  }

  private func publish(_ change: ChangeLog.Change) throws {
    switch change.subject {
    case .job(let job):
      if let status = try listedStatus(of: job) {
        try feed.send(status, number: change.number)
      }
    case .worker(let worker):
      if let status = status(of: worker) { try feed.send(status, number: change.number) }
    case .removed, .removedWorker:
      try feed.send(removalOf: change.subject, number: change.number)
    }
  }

  /// Notes the first waiting jobs that have another place than before. A place further back changes too often to be
  /// worth an event.
  private func noteMovedJobs() {
    guard feed.hasSubscribers else { return }
    let first = Array(scheduler.waitingJobs.prefix(Self.announcedPlaces))
    for (place, job) in first.enumerated()
    where !announcedJobs.indices.contains(place) || announcedJobs[place] != job {
      feed.note(.job(job))
    }
    announcedJobs = first
  }
}
