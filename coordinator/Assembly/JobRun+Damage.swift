import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling

/// Looks for damaged frames ahead of the workers, so that a long job does not fail at its end.
extension JobRun {
  /// Finishes the job's file, and meanwhile looks for damage in what the waiting segments show.
  func finishSearchingDamage(_ plan: PlanFacts, _ chunks: AsyncStream<ChunkNews>) async throws {
    // Returning cancels it.
    async let _: Void = searchDamage(plan)
    try await finish(plan, chunks)
  }

  /// Decodes the waiting segments from the last to the first, until one shows damage. Short jobs are not searched.
  ///
  /// A worker renders that segment next, and its verdict counts: this host may have other libraries.
  private func searchDamage(_ plan: PlanFacts) async {
    await shop.clock.sleep(shop.clock.now() + shop.damageSearchDelay)
    let submitter = await shop.farm.submitter(of: id)
    var end = plan.segmentCount
    while end > 0, !Task.isCancelled {
      let first = end
      do {
        let (next, isFound) = try await shop.damageSearches.run(for: submitter) {
          let segments = try await shop.farm.segmentsToDecode(of: id, before: first)
          return (segments.first, await findDamage(in: segments, of: plan, for: submitter))
        }
        if isFound { return }
        end = next
      } catch {
        return
      }
    }
  }

  /// Decodes what some of the segments show.
  ///
  /// - Returns: whether one of them shows damage.
  private func findDamage(
    in segments: SegmentsToDecode, of plan: PlanFacts, for submitter: String?
  ) async -> Bool {
    guard !segments.parts.isEmpty else { return false }
    do {
      let request = try await request(for: segments, of: plan, submitter)
      guard let found = try await shop.tools.findDamage(request) else { return false }
      await shop.farm.suspect(segments.parts[found.index].segment, because: found.message)
      return true
    } catch {
      if !Task.isCancelled {
        shop.log.detail("some segments were not searched for damage: \(error)", .job(id))
      }
      return false
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
    var sources: [PlanSource] = []
    for part in segments.parts { sources.append(try await source(part.part, of: plan)) }
    return DecodingRequest(
      segments: sources, files: files,
      frameCount: segments.frameCount)
  }
}
