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
  /// The number of started workers that run.
  package let runningCount: Int
  /// Why most of those wait that wait in a queue.
  package let reason: String?

  /// Combines what a driver and the coordinator know.
  ///
  /// - Parameters:
  ///   - workers: the farm's workers that are not lost.
  ///   - prefix: what the names of started workers begin with.
  ///   - driverKnowsAll: whether a worker that the driver does not know has ended. If not, it may be one of an earlier run.
  package init(
    started: [String: StartedWorker], workers: [WorkerStatus], prefix: String,
    driverKnowsAll: Bool, pending: Int, leased: Int
  ) {
    let own = workers.filter { $0.name.hasPrefix(prefix) }
    let known = Set(own.map(\.name))
    self.started = driverKnowsAll ? Set(started.keys) : known.union(started.keys)
    let living = self.started
    active = Set(own.filter { $0.state == .active && living.contains($0.name) }.map(\.name))
    waiting = Set(started.keys).subtracting(known)
    completed = Dictionary(
      own.map { ($0.name, $0.segmentsCompleted) }, uniquingKeysWith: { max($0, $1) })
    let orphans = driverKnowsAll ? 0 : known.subtracting(started.keys).count
    runningCount = started.values.count(where: \.isRunning) + orphans
    let reasons = Dictionary(grouping: started.values.compactMap(\.reason), by: \.self)
    reason = reasons.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key
    situation.pending = pending
    situation.leased = leased
    situation.otherSlots = workers.filter { $0.state == .active && !$0.name.hasPrefix(prefix) }
      .reduce(0) { $0 + $1.slots }
    situation.capacity = active.count + waiting.count
    situation.started = self.started.count
  }
}

/// What becomes of started workers.
package struct WorkerResults: Sendable {
  /// The number of segments that each worker has completed; ``unregistered`` until it has registered.
  private var known: [String: Int] = [:]
  private static let unregistered = -1

  package init() {}

  /// What has changed since the last look.
  package struct Changes: Hashable, Sendable {
    /// The workers that ended before they registered.
    package var unregistered: [String] = []
    /// Whether a started worker has completed a segment.
    package var hasResult = false
    /// Whether a worker ended without a result although segments wait.
    package var isInVain = false

    package init(unregistered: [String] = [], hasResult: Bool = false, isInVain: Bool = false) {
      self.unregistered = unregistered
      self.hasResult = hasResult
      self.isInVain = isInVain
    }
  }

  /// Notes workers that were just started.
  package mutating func expect(_ names: [String]) {
    for name in names { known[name] = Self.unregistered }
  }

  package mutating func observe(_ view: FarmView) -> Changes {
    var changes = Changes()
    for name in view.started where known[name] == nil { known[name] = Self.unregistered }
    for (name, count) in view.completed {
      guard let before = known[name] else { continue }
      if count > max(0, before) { changes.hasResult = true }
      known[name] = count
    }
    for (name, count) in known where !view.started.contains(name) {
      if count == Self.unregistered { changes.unregistered.append(name) }
      if count <= 0, view.situation.pending > 0 { changes.isInVain = true }
      known[name] = nil
    }
    changes.unregistered.sort()
    return changes
  }
}
