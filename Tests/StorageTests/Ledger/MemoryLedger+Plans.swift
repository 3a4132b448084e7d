import CoordinatorSupport
import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling
import sheaf_coordinator

extension MemoryLedger {
  func countPlanning(of id: JobID) throws -> Int {
    try change { records in
      records.jobs[id]?.planningTries += 1
      return records.jobs[id]?.planningTries ?? 0
    }
  }

  func uncountPlanning(of id: JobID) throws {
    try change { records in
      guard let count = records.jobs[id]?.planningTries else { return }
      records.jobs[id]?.planningTries = max(0, count - 1)
    }
  }

  func replacePlan(by plan: PlanFacts, _ planned: [PlannedSegment], of id: JobID) throws {
    try change { records in
      for (number, segment) in records.jobs[id]?.work.segments ?? [:]
      where !planned.indices.contains(number) || planned[number].content != segment.planned.content
      {
        records.jobs[id]?.work.segments[number] = nil
      }
    }
    try keep(planned, from: 0, of: id)
    try keep(plan, of: id)
  }

  func keep(_ planned: [PlannedSegment], from first: Int, of id: JobID) throws {
    try change { records in
      guard var segments = records.jobs[id]?.work.segments else {
        throw LedgerError(.final, "there is no job \(id)")
      }
      for (number, segment) in zip(first..., planned) {
        segments[number, default: MemoryRecords.Segment(planned: segment)].planned = segment
      }
      records.jobs[id]?.work.segments = segments
    }
  }

  func tableDigest(of id: JobID) -> Digest? {
    var table = TableDigest()
    for (_, segment) in records.jobs[id]?.work.ordered ?? [] { table.add(segment.planned) }
    return table.digest
  }

  func dropPlan(of id: JobID) throws {
    try change { records in
      records.removeSegments(of: id)
      records.jobs[id]?.work.plan = nil
      records.jobs[id]?.documents[.timeline] = nil
      records.jobs[id]?.work.fingerprint = nil
      if records.jobs[id]?.state.isFinal == false { records.jobs[id]?.state = .queued }
    }
  }

  func keep(_ plan: PlanFacts, of id: JobID) throws {
    try change { records in
      records.removeSegments(of: id, from: plan.segmentCount)
      records.jobs[id]?.work.plan = plan
      records.jobs[id]?.planningTries = 0
      records.jobs[id]?.assets.formUnion(plan.pictures.map(\.digest))
    }
  }

  func plan(of id: JobID) -> PlanFacts? { records.jobs[id]?.work.plan }

  func segmentCount(of id: JobID) -> Int { records.jobs[id]?.work.segments.count ?? 0 }

  private func planned(_ id: SegmentID) -> PlannedSegment? {
    records.jobs[id.job]?.work.segments[id.index]?.planned
  }

  func planPart(of segment: SegmentID) -> PlanPart? { planned(segment)?.part }

  func assets(of segment: SegmentID) -> [Digest] { planned(segment)?.assets ?? [] }

  func content(of segment: SegmentID) -> SegmentContent? {
    planned(segment).map { SegmentContent(digest: $0.content) }
  }

  func contents(of id: JobID) -> [(content: SegmentContent, frames: Int)] {
    (records.jobs[id]?.work.ordered ?? []).map {
      (SegmentContent(digest: $0.segment.planned.content), $0.segment.planned.frames.count)
    }
  }

  func frameCounts(of id: JobID) -> [Int32] { contents(of: id).map { Int32(clamping: $0.frames) } }

  func documents() -> (projects: Set<Digest>, plans: Set<Digest>) {
    let jobs = records.jobs.values
    return (
      Set(jobs.map(\.submission.project)),
      Set(jobs.flatMap { [$0.work.plan?.file, $0.lost?.plan?.file].compactMap(\.self) })
    )
  }

  func keep(_ assets: some Sequence<LeasedAsset>, leasedFor id: JobID) throws {
    try change { records in
      for asset in assets { records.jobs[id]?.leased[asset.digest] = asset }
    }
  }

  func dropLeasedAssets(of id: JobID) throws { try change { $0.jobs[id]?.leased = [:] } }

  func leasedAssets(of segment: SegmentID) -> [LeasedAsset] {
    assets(of: segment).compactMap { records.jobs[segment.job]?.leased[$0] }
  }

  func leasedBlocks(of id: JobID) -> [Digest: Digest] {
    records.jobs[id]?.leased.mapValues(\.blocks) ?? [:]
  }

  func isLeased(_ asset: Digest, for id: JobID) -> Bool {
    records.jobs[id]?.leased[asset] != nil
  }
}
