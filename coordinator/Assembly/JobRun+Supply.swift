import FarmAPI
import Preparation

/// Fetches and hashes what a job's project needs before the job is planned.
extension JobRun {
  /// Fetches and hashes the job's assets that need it, one after the other. The job holds a few of their names meanwhile,
  /// and nothing else of its submission.
  ///
  /// - Parameter fetches: whether assets at URLs are fetched if they are missing.
  /// - Returns: the assets that a job without a plan did not get.
  /// - Throws: ``JobError``, also for an asset that a job with a plan does not get.
  func supplyAssets(fetching fetches: Bool = true) async throws -> MissingAssets {
    let submitter = await shop.farm.submitter(of: id)
    let supply = AssetSupply(job: id, submitter: submitter, shop: shop)
    var missing = MissingAssets()
    var start = 0
    var isPlanned: Bool?
    while true {
      let part = try await unreadyAssets(of: submitter, from: start, besides: missing)
      guard let last = part.last else { return missing }
      let hasPlan: Bool
      if let isPlanned {
        hasPlan = isPlanned
      } else {
        hasPlan = try await shop.farm.beginSupply(of: id)
        isPlanned = hasPlan
      }
      for unready in part where fetches || !unready.asset.isRemote {
        guard !missing.isFull else {
          missing.stop(before: unready.index)
          return missing
        }
        do {
          try await supply.supply(unready.asset, isPlanned: hasPlan)
        } catch let error as JobError
          where !hasPlan && JobError.ofAssets.contains(error.failure.code)
        {
          missing.note(error.failure, of: unready.asset)
        }
      }
      start = last.index + 1
    }
  }

  /// The next assets that have to be fetched or hashed; none if all others are ready.
  private func unreadyAssets(
    of submitter: String?, from start: Int, besides missing: MissingAssets
  ) async throws -> [UnreadyAsset] {
    try await shop.lookups.run(
      for: submitter, byteCount: shop.farm.submissionSize(of: id)
    ) {
      let work = JobWork(
        submission: try await shop.farm.submission(of: id), submitter: submitter, plan: nil,
        limits: PlanningLimits())
      return try await JobInputs(work, of: id, shop: shop).unready(from: start, besides: missing)
    }
  }
}
