import FarmAPI

/// The queues of waiting requests, one for each kind of worker. If nothing is ready for a kind, none of its requests is
/// looked at, however many there are.
extension Scheduler {
  /// Puts a request into the queue of its worker's kind.
  ///
  /// Requests that end without a grant leave their ids behind. On an idle farm those would pile up, so they are removed
  /// once they are the majority. The amortized cost is O(1) per request.
  mutating func queue(_ id: RequestID) {
    guard let worker = requests[id].flatMap({ workers[$0.worker] }) else { return }
    let line = worker.line
    var queue = waiting.removeValue(forKey: line) ?? PriorityQueue()
    queue.insert(WaitingKey(priority: worker.entry.priority, request: id))
    if queue.count > 2 * requests.count + 64 {
      queue = PriorityQueue(Array(Set(queue.elements.filter { requests[$0.request] != nil })))
    }
    waiting[line] = queue
  }

  /// Puts requests that were taken out of their queues back.
  mutating func requeue(_ keys: [(line: WaitingLine, key: WaitingKey)]) {
    for (line, key) in keys { waiting[line, default: PriorityQueue()].insert(key) }
  }

  /// The lines of a fingerprint whose workers belong to a pool, in no particular order.
  func waitingLines(of fingerprint: String, in pool: PoolName?) -> [WaitingLine] {
    waiting.keys.filter { $0.fingerprint == fingerprint && $0.belongs(to: pool) }
  }

  /// Takes the first request of a worker that may be granted a lease out of some lines.
  mutating func nextRequest(
    in lines: [WaitingLine]
  ) -> (request: LeaseRequest, place: (line: WaitingLine, key: WaitingKey))? {
    var lines = lines
    while true {
      lines.removeAll { waiting[$0] == nil }
      let first = lines.compactMap { line in waiting[line]?.first.map { (line, $0) } }
        .min { $0.1 < $1.1 }
      guard let (line, key) = first else { return nil }
      _ = waiting[line]?.removeFirst()
      if waiting[line]?.isEmpty == true { waiting[line] = nil }
      // A worker that was set aside returns to the queue when it is forgiven.
      if let request = requests[key.request], workers[request.worker]?.takesLeases == true {
        return (request, (line, key))
      }
    }
  }

  /// Whether a job has a segment for the workers of a line.
  func isAnythingReady(for line: WaitingLine) -> Bool {
    [line.fingerprint, nil].contains { fingerprint in
      ready[fingerprint]?.lines.keys.contains { line.belongs(to: $0.pool) } ?? false
    }
  }
}
