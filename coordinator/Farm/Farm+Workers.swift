import Crypto
import FarmAPI
import Scheduling

extension Farm {
  /// The interval of workers' heartbeats: short enough for live progress, and much shorter than a lease.
  var heartbeatInterval: Duration { min(scheduler.settings.leaseDuration / 3, .seconds(2)) }

  /// Registers a worker.
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
      fingerprint: registration.fingerprint, memory: registration.memory, token: caller.token)
    worker.distrust = try ledger.distrust(of: worker.identity)
    try write([.workerRegistered(worker)])
    dispatch(.workerRegistered(worker))
    changed(worker.id)
    let memory = worker.memory.map { " and \(ByteCount($0)) of memory" } ?? ""
    log.info(
      "worker \(worker.id): \(worker.name) registered with \(worker.slots) slots\(memory)")
    if let reason = worker.distrust {
      log.error("worker \(worker.id): gets no leases until it is resumed: \(reason)")
    }
    return WorkerWelcome(
      id: worker.id.rawValue, heartbeatMilliseconds: Int(heartbeatInterval / .milliseconds(1)))
  }

  /// Lets a worker finish its leases without taking new ones.
  func drain(_ worker: WorkerID) throws -> WorkerStatus {
    guard scheduler.status(of: worker, at: clock.now()) != nil else {
      throw FarmError.notFound("worker", worker.rawValue)
    }
    try write([.workerDrained(worker)])
    dispatch(.workerDrained(worker))
    changed(worker)
    guard let status = scheduler.status(of: worker, at: clock.now()) else {
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
    guard let status = scheduler.status(of: id, at: clock.now()) else {
      throw FarmError.notFound("worker", id.rawValue)
    }
    return status
  }

  /// Every known worker.
  func workerStatuses() -> [WorkerStatus] {
    dispatch(.timePassed)
    return scheduler.workerStatuses(at: clock.now())
  }

  /// A short id: 60 random bits that are easy to type.
  static func newID() -> String {
    let letters = Array("0123456789abcdefghjkmnpqrstvwxyz")
    return String(SecureRandom.bytes(12).map { letters[Int($0 & 31)] })
  }
}
