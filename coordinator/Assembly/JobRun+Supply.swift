import FarmAPI
import Preparation

/// Fetches and hashes a job's assets before the job is planned.
extension JobRun {
  /// Fetches and hashes those of the job's assets that need it, one after the other. Meanwhile, the job holds only a
  /// few names from its submission in memory.
  ///
  /// - Parameters:
  ///   - fetches: whether to fetch missing assets from their URLs.
  ///   - recordings: the recordings that the job follows. Those that continue are left out.
  /// - Returns: the assets that failed, for a job without a plan.
  /// - Throws: ``JobError``, also for an asset that fails if the job has a plan.
  func supplyAssets(
    fetching fetches: Bool = true, following recordings: [FollowedRecording] = []
  ) async throws -> MissingAssets {
    let growing = recordings.growingPlaces
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
      for unready in part
      where (fetches || !unready.asset.isRemote) && !growing.contains(unready.asset.place) {
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

  /// The next assets that have to be fetched or hashed. The list is empty if all other assets are ready.
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
