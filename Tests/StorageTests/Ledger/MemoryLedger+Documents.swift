import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Preparation
import Scheduling
import sheaf_coordinator

extension MemoryLedger {
  func keep(_ document: Data?, as kind: JobDocument, of id: JobID) throws {
    try change { $0.jobs[id]?.documents[kind] = document }
  }

  func document(_ kind: JobDocument, of id: JobID) -> Data? { records.jobs[id]?.documents[kind] }

  func chunk(of segment: SegmentID) -> Digest? {
    let found = records.jobs[segment.job]?.work.segments[segment.index]
    return found?.state == .completed ? found?.chunk?.sha256 : nil
  }

  func planSegments(of id: JobID, after index: Int?, limit: Int) -> [PlanSegment] {
    let job = records.jobs[id]
    let segments = (job?.work.ordered ?? []).filter { $0.number > index ?? -1 }.prefix(limit)
    return segments.map { number, segment in
      PlanSegment(
        index: number, frames: segment.planned.frames, method: segment.planned.method,
        cost: segment.planned.cost, memory: segment.planned.peakMemory,
        content: segment.planned.content, assets: segment.planned.assets,
        fingerprint: job?.work.fingerprint)
    }
  }
}
