import FarmAPI

/// The workers of a farm in a few numbers.
package struct WorkerFigures: Hashable, Sendable {
  /// The workers that can take segments.
  package var workers: Int
  /// The segments that they render.
  package var busy: Int
  /// The segments that they could render at a time.
  package var slots: Int

  package init(workers: Int, busy: Int, slots: Int) {
    self.workers = workers
    self.busy = busy
    self.slots = slots
  }

  /// Counts the workers that can take segments.
  package init(_ workers: [WorkerStatus]) {
    let active = workers.filter { $0.state == .active }
    self.init(
      workers: active.count, busy: active.reduce(0) { $0 + $1.leases },
      slots: active.reduce(0) { $0 + $1.slots })
  }

  /// E.g. `2 workers, 3 of 4 slots busy`.
  package var text: String {
    "\(workers) worker\(workers == 1 ? "" : "s"), \(busy) of \(slots) slot\(slots == 1 ? "" : "s") busy"
  }

  /// E.g. `2 workers`.
  package var shortText: String { "\(workers) worker\(workers == 1 ? "" : "s")" }
}
