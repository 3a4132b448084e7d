import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Scheduling
import sheaf_coordinator

extension MemoryLedger {
  func keptChunks(under keys: [Digest], for audience: ReuseAudience) -> [Digest: KeptChunk] {
    let records = records
    var chunks: [Digest: KeptChunk] = [:]
    for key in keys {
      guard let chunk = records.kept[key]?.chunk else { continue }
      if case .submitter(let name) = audience {
        let isOwn = records.deliveries.values.contains { delivery in
          delivery.sha256 == chunk.sha256
            && records.jobs[delivery.grant.segment.job].map { $0.submitter == name } == true
        }
        guard isOwn else { continue }
      }
      chunks[key] = chunk
    }
    return chunks
  }

  func keptFingerprints() -> [String] {
    Set(records.kept.values.map(\.chunk.fingerprint)).sorted()
  }

  func spareChunks() -> [Digest] {
    let records = records
    return records.kept.values.sorted { $0.usedAt < $1.usedAt }.map(\.chunk.sha256).filter {
      chunk in
      !records.isNeeded(chunk) && !records.held.contains { $0.chunk.sha256 == chunk }
    }
  }

  func forget(_ chunks: [Digest]) throws {
    try change { records in
      records.kept = records.kept.filter { !chunks.contains($0.value.chunk.sha256) }
    }
  }

  func dropKeptChunks(unusedSince date: Date) throws -> Bool {
    try change { records in
      records.kept = records.kept.filter { $0.value.usedAt >= date }
      return false
    }
  }

  func uses(of chunk: Digest) -> [ChunkUse] {
    let records = records
    let jobs = records.orderedJobs.filter { job in
      job.state != .completed && job.work.segments.values.contains { $0.chunk?.sha256 == chunk }
    }
    let kept = records.kept.values.filter { $0.chunk.sha256 == chunk }
      .sorted { $0.chunk.key.description < $1.chunk.key.description }
    return jobs.map {
      .job(number: $0.number, $0.state, endedAt: $0.finishedAt?.timeIntervalSince1970)
    }
      + kept.map {
        .kept(key: $0.chunk.key.description, usedAt: $0.usedAt.timeIntervalSince1970)
      }
      + holds(of: chunk).map { .held($0) }
  }

  func byteCount(ofHeld chunk: Digest, _ segment: SegmentID) -> Int64? {
    records.held.first { $0.grant.segment == segment && $0.chunk.sha256 == chunk }?.chunk.byteCount
  }

  func holds(of chunk: Digest) -> [ConcernedHold] {
    records.held.filter { $0.chunk.sha256 == chunk }.map {
      ConcernedHold(segment: $0.grant.segment, worker: $0.grant.worker)
    }
  }

  func distrustedWorkers() -> [WorkerIdentity] { records.distrusted.map(\.worker) }

  func distrust(of worker: WorkerIdentity) -> String? {
    records.distrusted.first { $0.worker == worker }?.reason
  }

  func dropUnneededDeliveries(after id: Int) throws -> Int? {
    try change { records in
      let range = records.deliveries.keys.filter { $0 > id }
      let work = records.jobs.values.flatMap { [$0.work] + [$0.lost].compactMap(\.self) }
      let used = Set(
        work.flatMap { $0.segments.values.compactMap { $0.chunk?.delivery } }
          + records.held.map(\.delivery) + records.kept.values.compactMap(\.delivery))
      let kept = Set(records.kept.values.map(\.chunk.sha256))
      for id in Set(range).subtracting(used) {
        if let delivery = records.deliveries[id], !kept.contains(delivery.sha256) {
          records.deliveries[id] = nil
        }
      }
      return range.max()
    }
  }

  func chunks(of selection: ChunkSelection) -> ConcernedChunks {
    let records = records
    let selected = Set(
      records.deliveries.filter { _, delivery in
        (selection.token.map { delivery.deliverer.token == $0 } ?? true)
          && (selection.worker.map { records.name(of: delivery.grant.worker) == $0 } ?? true)
          && (selection.since.map { delivery.date >= $0 } ?? true)
          && (selection.until.map { delivery.date <= $0 } ?? true)
      }.keys)
    func isSelected(_ chunk: MemoryRecords.Chunk?) -> Bool {
      chunk?.delivery.map { selected.contains($0) } ?? false
    }
    var concerned = ConcernedChunks()
    for (key, entry) in records.kept where entry.delivery.map({ selected.contains($0) }) == true {
      concerned.kept.append(KeptKey(key: key.description, sha256: entry.chunk.sha256))
    }
    for job in records.orderedJobs {
      let segments = job.work.ordered.filter {
        $0.segment.state == .completed && isSelected($0.segment.chunk)
      }
      if job.state == .completed, !segments.isEmpty {
        concerned.finished.append(
          ConcernedJob(
            id: job.id.rawValue, name: job.submission.name, segments: segments.count))
      } else {
        concerned.segments += segments.compactMap { number, segment in
          segment.chunk.map {
            ConcernedSegment(segment: SegmentID(job: job.id, index: number), sha256: $0.sha256)
          }
        }
      }
      if job.lost?.segments.values.contains(where: { isSelected($0.chunk) }) == true {
        concerned.lost.append(job.id)
      }
    }
    concerned.held = records.held.filter { selected.contains($0.delivery) }.map {
      ConcernedHold(segment: $0.grant.segment, worker: $0.grant.worker)
    }
    concerned.lost.sort { $0.rawValue < $1.rawValue }
    return concerned
  }
}
