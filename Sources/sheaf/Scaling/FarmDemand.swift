import FarmAPI

/// The farm's segments that are not rendered yet, by the pools that their jobs ask for.
package struct FarmDemand: Hashable, Sendable {
  /// Those of all jobs.
  private let all: FarmStatus.Segments
  /// Those of jobs that ask for a pool.
  private let pools: [String: FarmStatus.Segments]

  package init(all: FarmStatus.Segments, pools: [String: FarmStatus.Segments] = [:]) {
    self.all = all
    self.pools = pools
  }

  /// The segments of jobs that ask for a pool; for `nil`, those of jobs that ask for none.
  package func segments(for pool: String?) -> FarmStatus.Segments {
    if let pool { return pools[pool] ?? FarmStatus.Segments() }
    return pools.values.reduce(into: all) { rest, segments in
      rest.pending = max(0, rest.pending - segments.pending)
      rest.leased = max(0, rest.leased - segments.leased)
    }
  }

  /// The number of slots of workers for segments of jobs that ask for a pool. For `nil`, workers in pools count with the
  /// slots that the segments of their pools leave, because no other workers render these.
  package func slots(of workers: [WorkerStatus], for pool: String?) -> Int {
    if let pool {
      return workers.filter { $0.pools?.contains(pool) ?? false }.reduce(0) { $0 + $1.slots }
    }
    var rest = pools.mapValues { $0.pending + $0.leased }
    var sum = 0
    // A worker in one pool has less choice than one in several.
    for worker in workers.sorted(by: { ($0.pools?.count ?? 0) < ($1.pools?.count ?? 0) }) {
      var free = worker.slots
      for pool in worker.pools ?? [] {
        let taken = min(free, rest[pool] ?? 0)
        rest[pool]? -= taken
        free -= taken
      }
      sum += free
    }
    return sum
  }
}
