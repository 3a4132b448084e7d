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
  /// - Returns: why rendering would fail the job; `nil` if no frame of a pending segment was found to be damaged.
  private func damage(in plan: PlanFacts) async -> JobFailure? {
    await shop.clock.sleep(shop.clock.now() + shop.damageSearchDelay)
    let submitter = await shop.farm.submitter(of: id)
    var end = plan.segmentCount
    while end > 0, !Task.isCancelled {
      let first = end
      do {
        let (next, failure) = try await shop.damageSearches.run(for: submitter) {
          let segments = try await shop.farm.segmentsToDecode(of: id, before: first)
          return (segments.first, await damage(in: segments, of: plan, for: submitter))
        }
        if let failure { return failure }
        end = next
      } catch {
        return nil
      }
    }
    return nil
  }

  /// Decodes what some of the segments show. Rendering finds what this misses because it fails itself.
  private func damage(
    in segments: SegmentsToDecode, of plan: PlanFacts, for submitter: String?
  ) async -> JobFailure? {
    guard !segments.parts.isEmpty else { return nil }
    do {
      let request = try await request(for: segments, of: plan, submitter)
      guard let failure = try await shop.tools.findDamage(request) else { return nil }
      // Several workers must agree before their failures end a job. Here, two processes must.
      let confirmed = try await shop.tools.findDamage(request)
      if confirmed != failure {
        shop.log.error("job \(id): damage was found only once: \(failure.message)")
      }
      return confirmed == failure ? failure : nil
    } catch {
      if !Task.isCancelled {
        shop.log.detail("job \(id): some segments were not searched for damage: \(error)")
      }
      return nil
    }
  }

  private func request(
    for segments: SegmentsToDecode, of plan: PlanFacts, _ submitter: String?
  ) async throws -> DecodingRequest {
    let supply = AssetSupply(job: id, submitter: submitter, shop: shop)
    var files: [String: AssetFile] = [:]
    for (digest, asset) in segments.assets {
      files[digest.description] = try await supply.file(of: asset, named: digest.description)
    }
    let path = shop.documents.plan(plan.file)
    return DecodingRequest(
      segments: segments.parts.map { PlanSource(path: path, part: $0) }, files: files,
      frameCount: segments.frameCount)
  }
}
