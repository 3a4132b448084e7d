import Crypto
import FarmAPI
import Foundation
import Planning

/// A request to the process that freezes a plan.
package struct FreezingRequest: Hashable, Codable, Sendable {
  /// The file of the plan as JSON: the draft of a planning process, or a plan that an earlier version froze.
  package var draft: String
  /// The SHA-256 of the draft as it was written.
  package var digest: Digest
  /// The directory for the frozen plan.
  package var directory: String
  package var limits: PlanningLimits
  /// Whether the coordinator has all assets on its disk, so that chunks may refer to them instead of copying packets.
  package var hasAssetsOnDisk: Bool

  package init(
    draft: String, digest: Digest, directory: String, limits: PlanningLimits,
    hasAssetsOnDisk: Bool
  ) {
    self.draft = draft
    self.digest = digest
    self.directory = directory
    self.limits = limits
    self.hasAssetsOnDisk = hasAssetsOnDisk
  }
}

/// Freezes a plan: encodes the content of each lease from the draft, and writes the table of the segments.
///
/// A hostile font or image may take over the process that plans. Everything that other jobs rely on, above all the
/// content keys, is therefore computed from what the leases will contain, by a process that opens no media and draws no
/// text.
package enum PlanFreezing {
  /// Freezes a plan. Blocks.
  ///
  /// - Throws: ``JobError``.
  package static func freeze(_ request: FreezingRequest) throws -> PlanFacts {
    let data = try InputFile.read(
      request.draft, called: "the plan's draft",
      missing: JobError(.readFailed, "the plan's draft is missing"))
    guard Digest.of(data) == request.digest else {
      throw JobError(
        .readFailed, "the plan's draft read back from the disk differs from what was written")
    }
    var plan: Plan
    do {
      plan = try FarmCoding.decode(Plan.self, from: data)
    } catch {
      throw JobError(.unreadablePlan, "the plan's draft cannot be read")
    }
    for number in plan.segments.indices {
      let refers = request.hasAssetsOnDisk && plan.segments[number].copiesAsset
      plan.segments[number].copy?.refersToSource = refers ? true : nil
    }
    return try PlanWriter.write(plan, to: request.directory, within: request.limits)
  }
}

extension SegmentDescription {
  /// Whether it copies packets of an asset, not of an excerpt of a recording, which may be removed before its chunk is.
  fileprivate var copiesAsset: Bool {
    guard let copy, sources.indices.contains(copy.source) else { return false }
    return sources[copy.source].byteCount == nil
  }
}
