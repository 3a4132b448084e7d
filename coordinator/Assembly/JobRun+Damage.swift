import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling

/// Looks for damaged frames ahead of the workers, so that a long job does not fail at its end.
extension JobRun {
  /// Finishes the job's file, and meanwhile decodes what its pending segments show.
  ///
  /// - Throws: ``JobError`` at the first frame that shows damage, or an error of ``finish(_:_:)``.
  func finishUnlessDamaged(_ plan: PlanFacts, _ chunks: AsyncStream<ChunkNews>) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await finish(plan, chunks)
        return true
      }
      group.addTask {
        if let failure = await damage(in: plan) { throw JobError(failure) }
        return false
      }
      while try await group.next() == false {}
      group.cancelAll()
    }
  }

  /// Decodes the pending segments from the last to the first. Short jobs are not searched.
  ///
  /// - Returns: why rendering would fail the job; `nil` if no frame of a pending segment is damaged, or if the search
  ///   itself failed: rendering finds what it missed.
  private func damage(in plan: PlanFacts) async -> JobFailure? {
    await shop.clock.sleep(shop.clock.now() + shop.damageSearchDelay)
    do {
      let submitter = await shop.farm.submitter(of: id)
      var end = plan.segmentCount
      while end > 0 {
        let (first, failure) = try await shop.damageSearches.run(for: submitter) {
          let segments = try await shop.farm.segmentsToDecode(of: id, before: end)
          return (segments.first, try await damage(in: segments, of: plan, for: submitter))
        }
        if let failure { return failure }
        end = first
      }
    } catch {
      if !Task.isCancelled {
        shop.log.detail("job \(id): the search for damaged frames ended early: \(error)")
      }
    }
    return nil
  }

  /// Decodes what some of the segments show.
  private func damage(
    in segments: SegmentsToDecode, of plan: PlanFacts, for submitter: String?
  ) async throws -> JobFailure? {
    guard !segments.parts.isEmpty else { return nil }
    let supply = AssetSupply(job: id, submitter: submitter, shop: shop)
    var files: [String: AssetFile] = [:]
    for (digest, asset) in segments.assets {
      files[digest.description] = try await supply.file(of: asset, named: digest.description)
    }
    let path = shop.documents.plan(plan.file)
    return try await shop.tools.findDamage(
      DecodingRequest(
        segments: segments.parts.map { PlanSource(path: path, part: $0) }, files: files,
        frameCount: segments.frameCount))
  }
}
