import FarmAPI

/// The farm and the started workers, as a look at both found them.
package struct FarmView: Sendable {
  package var situation = ScalePolicy.Situation()
  /// The names of started workers that take leases.
  package let active: Set<String>
  /// The names of started workers that have not registered yet.
  package let waiting: Set<String>
  /// The names of started workers that have not ended.
  package let started: Set<String>
  /// The number of segments that started workers have completed, by the names of those that have registered.
  package let completed: [String: Int]
  /// The names of started workers that run, and do not wait in a queue.
  package let running: Set<String>
  /// Why most of those wait that wait in a queue.
  package let reason: String?

  /// Combines the answers of a driver and of the coordinator.
  ///
  /// - Parameters:
  ///   - workers: the farm's workers that are not lost.
  ///   - prefix: the beginning of the names of started workers.
  ///   - driverKnowsAll: whether a worker that the driver does not know has ended. If not, it may be one of an earlier run.
  ///   - pool: the pool of the started workers; `nil` for none.
  package init(
    started: [String: StartedWorker], workers: [WorkerStatus], prefix: String,
    driverKnowsAll: Bool, demand: FarmDemand, pool: String? = nil
  ) {
    let own = workers.filter { $0.name.hasPrefix(prefix) }
    let known = Set(own.map(\.name))
    self.started = driverKnowsAll ? Set(started.keys) : known.union(started.keys)
    let living = self.started
    active = Set(own.filter { $0.state == .active && living.contains($0.name) }.map(\.name))
    waiting = Set(started.keys).subtracting(known)
    completed = Dictionary(
      own.map { ($0.name, $0.segmentsCompleted) }, uniquingKeysWith: { max($0, $1) })
    let queued = started.filter { !$0.value.isRunning }
    running = living.subtracting(queued.keys)
    let reasons = Dictionary(grouping: started.values.compactMap(\.reason), by: \.self)
    reason = reasons.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key
    let segments = demand.segments(for: pool)
    situation.pending = segments.pending
    situation.leased = segments.leased
    situation.otherSlots = demand.slots(
      of: workers.filter { $0.state == .active && !$0.name.hasPrefix(prefix) }, for: pool)
    situation.capacity = active.count + waiting.count
    situation.started = self.started.count
  }
}
