import FarmAPI

extension FarmConnection {
  /// The farm's segments that are not rendered yet.
  ///
  /// - Parameter pool: the pool whose segments are wanted, which an earlier coordinator does not count.
  func demand(for pool: String?) async throws -> FarmDemand {
    struct Sums: Decodable {
      var segments: FarmStatus.Segments
      var pools: [FarmStatus.Pool]?
    }
    let sums: Sums = try await get("/farm")
    if pool != nil, sums.pools == nil {
      throw CommandFailure(
        .failed, "the coordinator does not count segments by pool", on: "\(servers)",
        remedy: "install the same version of sheaf and sheaf-coordinator")
    }
    let pools = (sums.pools ?? []).map {
      ($0.name, FarmStatus.Segments(pending: $0.pending, leased: $0.leased))
    }
    return FarmDemand(all: sums.segments, pools: Dictionary(pools) { first, _ in first })
  }
}
