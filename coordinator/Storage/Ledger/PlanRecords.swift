import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling

/// The ledger's records of plans, their segments' contents and the assets that leases name.
package protocol PlanRecords {
  /// Counts another planning attempt of a job, and returns the count.
  func countPlanning(of id: JobID) throws -> Int

  /// Removes a planning attempt from the count, because the job did not cause its end.
  func uncountPlanning(of id: JobID) throws

  /// Stores a batch of a plan's segments, numbered from `first` on. Existing segments keep their state.
  func keep(_ records: [PlannedSegment], from first: Int, of id: JobID) throws

  /// Replaces a job's plan by one whose first segments are usually the same. In one step, segments with the same number
  /// and content keep their state, and all others begin anew.
  func replacePlan(by plan: PlanFacts, _ records: [PlannedSegment], of id: JobID) throws

  /// The `TableDigest` of a job's stored segments; `nil` if a row is not valid.
  func tableDigest(of id: JobID) throws -> Digest?

  /// Drops a job's plan with its segments and their attempts, so that the job is planned again.
  func dropPlan(of id: JobID) throws

  /// Freezes a job's plan, whose segments are already stored.
  func keep(_ plan: PlanFacts, of id: JobID) throws

  /// A job's plan, once frozen.
  func plan(of id: JobID) throws -> PlanFacts?

  /// The number of stored segments of a job.
  func segmentCount(of id: JobID) throws -> Int

  /// The part of the plan's file that describes a segment.
  func planPart(of segment: SegmentID) throws -> PlanPart?

  /// The assets that a worker reads for a segment.
  func assets(of segment: SegmentID) throws -> [Digest]

  /// The content that decides the chunk of a segment.
  func content(of segment: SegmentID) throws -> SegmentContent?

  /// The contents that decide the chunks of a job's segments, with their frame counts, in the order of the segments.
  ///
  /// - Throws: `JobError` if one is not valid, because later contents would then be assigned to the wrong segments.
  func contents(of id: JobID) throws -> [(content: SegmentContent, frames: Int)]

  /// The frame counts of a job's segments, in order.
  func frameCounts(of id: JobID) throws -> [Int32]

  /// The files of projects and plans of all jobs, including completed ones, which may be retried if their file is
  /// damaged.
  func documents() throws -> (projects: Set<Digest>, plans: Set<Digest>)

  /// Records assets that workers read for a job.
  func keep(_ assets: some Sequence<LeasedAsset>, leasedFor id: JobID) throws

  /// Removes the assets of a job that has ended or is being planned again.
  func dropLeasedAssets(of id: JobID) throws

  /// The assets that a worker reads for a segment, if recorded, in the segment's order.
  func leasedAssets(of segment: SegmentID) throws -> [LeasedAsset]

  /// The digests of the block digests of a job's recorded assets, by asset.
  func leasedBlocks(of id: JobID) throws -> [Digest: Digest]

  /// Whether workers read an asset for a job.
  func isLeased(_ asset: Digest, for id: JobID) throws -> Bool
}
