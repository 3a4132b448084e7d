import FarmAPI
import HTTP
import Scheduling

/// Someone who watches the farm, or one job of it.
struct Subscriber: Sendable {
  /// The one job, or every job and worker.
  let job: JobID?
  /// Who it is: submitters are told of their own jobs only.
  let caller: Caller
  /// Whether the watcher may still watch.
  let isInForce: @Sendable () -> Bool
  /// Its place among the open streams.
  let place: Occupancy.Place?
  let stream: AsyncStream<ServerSentEvent>.Continuation
}

extension Subscriber {
  /// Whether it is to be told of a job's change.
  fileprivate func watches(_ status: JobStatus) -> Bool {
    if let job { return job.rawValue == status.id }
    return caller.confinement == nil || caller.confinement == status.submitter
  }

  /// Whether it is to be told of workers.
  fileprivate var watchesWorkers: Bool { job == nil && caller.confinement == nil }
}

extension Farm {
  /// The time for which changes are collected before watchers are notified. It grows with the size of the last
  /// notification, so that a thousand workers' changes to hundreds of watchers leave the farm time for the workers
  /// (`Benchmarks/load`).
  private var publishInterval: Duration {
    min(max(.milliseconds(250), .microseconds(10 * lastPublished)), .seconds(2))
  }

  /// The changes of one job, which end with its last; or of everything that the caller may see.
  ///
  /// - Parameter isInForce: returns whether the caller may still watch. Called before each notification.
  func events(
    of job: JobID?, for caller: Caller = .local, in place: Occupancy.Place? = nil,
    while isInForce: @escaping @Sendable () -> Bool = { true }
  ) throws -> AsyncStream<ServerSentEvent> {
    var current: [ServerSentEvent] = []
    var isOver = isStopping
    if let job {
      let status = try status(of: job, for: caller)
      current = [try Self.event(status)]
      isOver = isOver || status.state.isFinal
    } else {
      current = try recentStatuses(for: caller).reversed().map(Self.event)
      if caller.confinement == nil { current += try workerStatuses().map(Self.event) }
    }
    let capacity = max(1024, current.count * 2)
    let (stream, continuation) = AsyncStream.makeStream(
      of: ServerSentEvent.self, bufferingPolicy: .bufferingNewest(capacity))
    for event in current { continuation.yield(event) }
    guard !isOver else {
      continuation.finish()
      return stream
    }
    lastSubscriber += 1
    let id = lastSubscriber
    subscribers[id] = Subscriber(
      job: job, caller: caller, isInForce: isInForce, place: place, stream: continuation)
    continuation.onTermination = { [weak self] _ in
      Task { await self?.unsubscribe(id) }
    }
    return stream
  }

  private func unsubscribe(_ id: UInt64) {
    subscribers[id] = nil
  }

  /// Records that watchers of a job are to be told.
  func changed(_ job: JobID) {
    changedJobs.insert(job)
    publishSoon()
  }

  /// Records that watchers of the workers are to be told.
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

  private func publish() {
    publisher = nil
    lastPublished = (changedJobs.count + changedWorkers.count) * subscribers.count
    defer {
      changedJobs = []
      changedWorkers = []
    }
    for subscriber in subscribers.values where !subscriber.isInForce() {
      subscriber.stream.finish()
    }
    guard !subscribers.isEmpty else { return }
    do {
      for job in changedJobs { try publish(job) }
      for worker in changedWorkers {
        guard let status = scheduler.status(of: worker, at: clock.now()) else { continue }
        let event = try Self.event(status)
        for subscriber in subscribers.values where subscriber.watchesWorkers {
          subscriber.stream.yield(event)
        }
      }
    } catch {
      log.error("changes cannot be told: \(error)")
    }
  }

  private func publish(_ job: JobID) throws {
    let status = try status(of: job)
    let concerned = subscribers.values.filter { $0.watches(status) }
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
