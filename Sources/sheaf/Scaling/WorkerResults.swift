/// Tracks started workers until they end.
package struct WorkerResults: Sendable {
  /// The number of segments that each worker has completed; ``unregistered`` until it has registered.
  private var known: [String: Int] = [:]
  private static let unregistered = -1

  package init() {}

  /// The changes since the last look.
  package struct Changes: Hashable, Sendable {
    /// The workers that ended before they registered.
    package var unregistered: [String] = []
    /// Whether a started worker has completed a segment.
    package var hasResult = false
    /// Whether a worker ended without a result although segments wait.
    package var isWasted = false

    package init(unregistered: [String] = [], hasResult: Bool = false, isWasted: Bool = false) {
      self.unregistered = unregistered
      self.hasResult = hasResult
      self.isWasted = isWasted
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
      if count <= 0, view.situation.pending > 0 { changes.isWasted = true }
      known[name] = nil
    }
    changes.unregistered.sort()
    return changes
  }
}
