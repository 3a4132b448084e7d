import FarmAPI

/// Memory: a worker takes only segments that fit in its memory beside its other leases.
///
/// Smaller segments may overtake one that does not fit, so that memory is not left idle. If segments of one size have
/// been passed over for too long and none was leased, a worker is reserved for them. A reserved worker takes only
/// segments of higher-priority jobs until one fits. It must then take a segment in the order of the jobs before it is
/// reserved again, so that large segments do not hold up small ones forever either.
extension Scheduler {
  /// Notes that the segments of a job that do not fit in a worker's free memory, but in its whole memory, are passed over.
  ///
  /// - Returns: whether there are any that do not fit in its free memory.
  mutating func noteOvertaken(
    _ id: JobID, beyond room: Int, by worker: WorkerID, at now: Instant
  ) -> Bool {
    guard let largest = jobs[id]?.pending.largestMemory, largest > room else { return false }
    let whole = workers[worker]?.memory ?? 0
    let unnoted =
      jobs[id]?.pending.lines.filter {
        $0.memory > room && $0.memory <= whole && $0.count > 0 && $0.overtakenSince == nil
      } ?? []
    for line in unnoted {
      let need = MemoryNeed(job: id, memory: line.memory)
      if !line.isWatched {
        deadlines.insert(Deadline(instant: now + patience(with: need), subject: .memory(need)))
      }
      change(id) {
        $0.pending.change(line.memory) {
          $0.overtakenSince = now
          $0.isWatched = true
        }
      }
    }
    return true
  }

  /// Reserves a worker for segments that have been passed over for too long.
  mutating func checkMemory(for need: MemoryNeed, at now: Instant) -> [Action] {
    guard let line = jobs[need.job]?.pending.line(need.memory), let since = line.overtakenSince
    else {
      change(need.job) {
        $0.pending.change(need.memory) {
          $0.overtakenSince = nil
          $0.isWatched = false
        }
      }
      cancelReservation(for: need.memory, of: need.job)
      return []
    }
    let due = since + patience(with: need)
    guard due <= now else {
      deadlines.insert(Deadline(instant: due, subject: .memory(need)))
      return []
    }
    // Workers come and go, so the reservation is reviewed until one of the segments is leased.
    deadlines.insert(Deadline(instant: now + settings.memoryPatience, subject: .memory(need)))
    if let worker = reservations[need], workers[worker]?.isAvailable == true,
      reservation(of: worker) != nil
    {
      return []
    }
    cancelReservation(for: need.memory, of: need.job)
    guard let worker = bestWorker(for: need, at: now) else { return [] }
    reservations[need] = worker
    change(worker) { $0.reservation = need }
    wakeCramped(worker)
    return [.reserve(worker, for: need.job)]
  }

  /// The place of segments in the order in which workers are reserved: by their job's priority and order, the largest
  /// first.
  func rank(of need: MemoryNeed) -> (Int, Int, Int) {
    guard let key = jobs[need.job]?.key else { return (0, .max, 0) }
    return (-key.share.priority, key.order, -need.memory)
  }

  /// The time for which segments may be passed over.
  private func patience(with need: MemoryNeed) -> Duration {
    guard let index = firstSegment(of: need) else { return settings.memoryPatience }
    let segment = SegmentID(job: need.job, index: index)
    return max(settings.memoryPatience, (expected(segment) ?? .zero) * 2)
  }

  /// The first waiting segment of a job that needs this amount of memory.
  private func firstSegment(of need: MemoryNeed) -> Int? {
    guard let job = jobs[need.job], let line = job.pending.line(need.memory) else { return nil }
    return line.keys.elements.filter { job.segments[$0.index].isQueued }.min()?.index
  }

  /// The unreserved worker with the most free memory, among those whose memory fits a segment of this size.
  private func bestWorker(for need: MemoryNeed, at now: Instant) -> WorkerID? {
    guard let job = jobs[need.job], let index = firstSegment(of: need) else { return nil }
    let segment = job.segments[index]
    return workers.values.filter { worker in
      worker.isAvailable && worker.memory >= need.memory && worker.reservation == nil
        && !worker.owesTurn
        && (job.fingerprint == nil || job.fingerprint == worker.entry.fingerprint)
        && worker.belongs(to: job.pool) && !wouldStrand(need.job, worker.entry.fingerprint)
        && mayTake(segment, worker.entry.id, worker.entry.fingerprint, at: now)
        && !waitsForTwin(segment, worker.entry.fingerprint)
    }
    .max { ($0.freeMemory, $1.entry.id) < ($1.freeMemory, $0.entry.id) }?.entry.id
  }

  /// The segments that a worker is reserved for, with their job's priority. The reservation ends if none of them waits
  /// for the worker any more.
  mutating func reservation(of worker: WorkerID) -> (need: MemoryNeed, priority: Int)? {
    guard let need = workers[worker]?.reservation else { return nil }
    guard
      let (bound, priority) = jobs[need.job].map({ ($0.fingerprint, $0.key.share.priority) }),
      bound == nil || bound == workers[worker]?.entry.fingerprint,
      jobs[need.job]?.pending.line(need.memory) != nil
    else {
      cancelReservation(of: worker)
      return nil
    }
    return (need, priority)
  }

  /// Ends the reservation for the segments of a job that need the memory, if there is one.
  mutating func cancelReservation(for memory: Int, of job: JobID) {
    guard !reservations.isEmpty,
      let worker = reservations.removeValue(forKey: MemoryNeed(job: job, memory: memory))
    else { return }
    change(worker) { $0.reservation = nil }
    wakeCramped(worker)
  }

  /// Ends the reservation of a worker, if there is one.
  mutating func cancelReservation(of worker: WorkerID) {
    guard let need = workers[worker]?.reservation else { return }
    cancelReservation(for: need.memory, of: need.job)
  }

  /// Whether an unbound job has a segment that is too large for every worker with this fingerprint, but fits a worker
  /// with another one.
  func wouldStrand(_ id: JobID, _ fingerprint: String) -> Bool {
    guard let job = jobs[id], job.fingerprint == nil,
      let most = supply[job.pool]?.largestMemory, most.count > 1,
      let largest = job.pending.largestMemory
    else { return false }
    return largest > most[fingerprint] ?? 0 && most.values.contains { $0 >= largest }
  }

  /// Matches the requests of a worker that wait for memory again.
  mutating func wakeCramped(_ id: WorkerID) {
    guard cramped.remove(id) != nil,
      let requests = workers[id]?.requests
    else { return }
    for request in requests { queue(request) }
  }

  /// Matches the requests of the workers that wait for memory again, if a segment of the job fits there.
  ///
  /// - Parameter fingerprint: the fingerprint of the workers that serve the job; `nil` for any.
  mutating func wakeCramped(for job: JobID, fingerprint: String?) {
    guard !cramped.isEmpty, let memory = jobs[job]?.pending.smallestMemory else { return }
    let woken = cramped.filter { id in
      guard let worker = workers[id] else { return false }
      return worker.freeMemory >= memory
        && (fingerprint == nil || fingerprint == worker.entry.fingerprint)
    }
    for id in woken { wakeCramped(id) }
  }

  /// Counts a worker that has become available, in the farm and in its pools.
  mutating func countAvailable(_ worker: WorkerRecord) {
    for pool in worker.allPools { supply[pool, default: WorkerSupply()].insert(worker) }
  }

  /// Removes a worker that is no longer available from the counts.
  mutating func countUnavailable(_ worker: WorkerRecord) {
    for pool in worker.allPools {
      supply[pool]?.remove(worker)
      if supply[pool]?.isEmpty == true { supply[pool] = nil }
    }
  }

  /// Reports the jobs that begin or cease to have a segment that is too large for every available worker.
  mutating func noteTooLarge() -> [Action] {
    let keys = jobs.values.map(\.key).sorted { $0.order < $1.order }
    return keys.flatMap { noteIfTooLarge($0.id) }
  }

  /// Reports a job that begins or ceases to have a segment that is too large for every available worker.
  mutating func noteIfTooLarge(_ id: JobID) -> [Action] {
    let isTooLarge = memoryShortage(of: id) != nil
    guard jobs[id]?.isKnownTooLarge == !isTooLarge else { return [] }
    change(id) { $0.isKnownTooLarge = isTooLarge }
    guard !isTooLarge else { return [.noteTooLarge(id)] }
    return jobs[id]?.pending.largestMemory == nil ? [] : [.noteWaiting(id)]
  }

  /// The memory that a job's largest pending segment needs, in bytes, if every available worker has less; `nil` otherwise.
  public func memoryNeeded(by id: JobID) -> Int? {
    memoryShortage(of: id) == nil ? nil : jobs[id]?.pending.largestMemory
  }

  /// A description of the worker that a job needs if one of its segments is too large for every available worker; `nil`
  /// otherwise, or if no worker is available.
  func memoryShortage(of id: JobID) -> String? {
    guard let job = jobs[id], let needed = job.pending.largestMemory,
      let line = job.pending.line(needed)
    else { return nil }
    let most = supply[job.pool]?.largestMemory ?? [:]
    guard let largest = job.fingerprint.map({ most[$0] }) ?? most.values.max(),
      needed > largest,
      let index = line.keys.elements.filter({ job.segments[$0.index].isQueued }).min()?.index
    else { return nil }
    let kind = job.fingerprint == nil ? "" : " with the library versions that rendered its chunks"
    return "a worker with more memory: segment \(index) needs \(ByteCount(needed)), but the "
      + "largest worker\(kind) has \(ByteCount(largest)): start a worker with a larger --memory"
  }
}
