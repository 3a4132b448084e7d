import Crypto
import FarmAPI
import Foundation
import Scheduling

extension Farm {
  func register(
    _ registration: WorkerRegistration, by caller: Caller = .local, atMost limit: Int
  ) throws -> WorkerWelcome {
    guard scheduler.workerCount < limit else {
      throw FarmError(
        .limitReached,
        "the farm has reached its limit of \(limit) workers: try again after a lost worker has been "
          + "removed")
    }
    var worker = WorkerEntry(
      id: WorkerID(rawValue: Self.newID()), name: registration.name, slots: registration.slots,
      fingerprint: registration.fingerprint, memory: registration.memory, token: caller.token,
      pools: Set((registration.pools ?? []).compactMap(PoolName.init)),
      priority: registration.priority ?? 0)
    worker.host = registration.host
    worker.cores = registration.cores
    worker.version = registration.version
    worker.distrust = try ledger.distrust(of: worker.identity)
    try write([.workerRegistered(worker)])
    dispatch(.workerRegistered(worker))
    workerHosts[worker.id] = registration.host
    changed(worker.id)
    let memory = worker.memory.map { " and \(ByteCount($0)) of memory" } ?? ""
    let version = worker.version.map { ", version \($0)" } ?? ""
    log.info(
      "registered with \(worker.slots) slots\(memory)\(version)", fields(of: worker.id))
    if let reason = worker.distrust {
      log.error("gets no leases until it is resumed: \(reason)", fields(of: worker.id))
    }
    return WorkerWelcome(id: worker.id.rawValue)
  }

  /// Lets a worker take no new leases.
  ///
  /// - Parameter atOnce: whether it gives its leases back instead of finishing them.
  func drain(_ worker: WorkerID, atOnce: Bool = false) throws -> WorkerStatus {
    guard scheduler.status(of: worker, at: clock.now()) != nil else {
      throw FarmError.notFound("worker", worker.rawValue)
    }
    try write([.workerDrained(worker)])
    dispatch(.workerDrained(worker))
    // The next heartbeat tells the worker that a lease is no longer valid.
    if atOnce { for token in scheduler.tokens(of: worker) { giveBack(token) } }
    changed(worker)
    guard let status = status(of: worker) else {
      throw FarmError.notFound("worker", worker.rawValue)
    }
    return status
  }

  /// Returns a draining, set-aside or distrusted worker to service.
  func resume(_ id: WorkerID) throws -> WorkerStatus {
    guard let worker = scheduler.entry(of: id) else {
      throw FarmError.notFound("worker", id.rawValue)
    }
    try write([.workerResumed(worker)])
    dispatch(.workerResumed(id))
    changed(id)
    guard let status = status(of: id) else {
      throw FarmError.notFound("worker", id.rawValue)
    }
    return status
  }

  /// Every known worker.
  func workerStatuses() -> [WorkerStatus] {
    dispatch(.timePassed)
    return scheduler.workerStatuses(at: clock.now()).map(completed)
  }

  /// A worker's state; `nil` if the worker is unknown.
  func status(of worker: WorkerID) -> WorkerStatus? {
    scheduler.status(of: worker, at: clock.now()).map(completed)
  }

  /// Completes a worker's state with what it renders, and when and how fast.
  private func completed(_ status: WorkerStatus) -> WorkerStatus {
    var status = status
    let worker = WorkerID(rawValue: status.id)
    status.rendering = scheduler.runningAttempts(of: worker).map { attempt in
      let segment = attempt.grant.segment
      return WorkerStatus.Rendering(
        job: segment.job.rawValue, jobName: jobs[segment.job]?.name ?? "", segment: segment.index,
        framesRendered: attempt.framesRendered,
        frameCount: scheduler.frames(of: segment)?.count ?? 0)
    }
    status.framesPerSecond = renderMeter.framesPerSecond(of: worker, at: clock.now())
    status.lastSeenAt = clock.date() - status.secondsSinceSeen
    return status
  }

  /// A short id: 60 random bits that are easy to type.
  static func newID() -> String {
    let letters = Array("0123456789abcdefghjkmnpqrstvwxyz")
    return String(SecureRandom.bytes(12).map { letters[Int($0 & 31)] })
  }
}
