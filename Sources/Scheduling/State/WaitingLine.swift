import FarmAPI

/// The requests of workers that may serve the same jobs: of one fingerprint, in the same pools.
struct WaitingLine: Hashable, Sendable {
  let fingerprint: String
  let pools: Set<PoolName>

  /// Whether its workers belong to a pool; every worker belongs to the farm.
  func belongs(to pool: PoolName?) -> Bool { pool.map(pools.contains) ?? true }
}
