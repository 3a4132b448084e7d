import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling
import sheaf_coordinator

extension MemoryLedger {
  func progress(of job: JobID) -> JobProgress {
    let records = records
    return records.progress(of: records.jobs[job])
  }

  func reusedCount(of job: JobID) -> Int {
    let records = records
    return records.reusedCount(of: records.jobs[job])
  }

  func segments(of job: JobID, after index: Int?, limit: Int) -> [SegmentStatus] {
    let records = records
    let segments = records.jobs[job]?.work.ordered ?? []
    return segments.filter { $0.number > index ?? -1 }.prefix(limit).map { number, segment in
      let isPlaced = segment.state == .leased || segment.state == .completed
      let frames = segment.planned.frames
      let delivery = segment.chunk?.delivery.flatMap { records.deliveries[$0] }
      var status = SegmentStatus(
        index: number, first: frames.lowerBound, end: frames.upperBound, state: segment.state,
        attempts: segment.attempts,
        worker: isPlaced ? segment.worker.flatMap(records.name) : nil,
        framesRendered: segment.state == .completed ? frames.count : 0,
        delivery: delivery.map {
          SegmentDelivery(
            worker: records.name(of: $0.grant.worker) ?? "", token: $0.deliverer.name,
            deliveredAt: $0.date)
        },
        isUnderAudit: records.held.contains {
          $0.grant.segment == SegmentID(job: job, index: number)
        } ? true : nil)
      status.note(
        method: segment.planned.method, memory: segment.planned.peakMemory,
        isReused: segment.state == .completed && segment.worker == nil)
      return status
    }
  }

  func drawing(of job: JobID) -> SegmentDrawing? {
    let records = records
    return records.drawing(of: records.jobs[job])
  }

  func segmentKinds(of job: JobID) -> SegmentKinds? {
    SegmentKinds((records.jobs[job]?.work.ordered ?? []).map(\.segment.planned.method))
  }

  func entries(of job: JobID) -> [SegmentEntry] {
    let records = records
    var room = FailureRoom()
    var failures: [Int: [FailedAttempt]] = [:]
    for failure in records.jobs[job]?.failures ?? [] {
      failures[failure.segment, default: []].append(
        room.admit(
          FailedAttempt(
            worker: failure.worker, workerName: records.name(of: failure.worker) ?? "",
            report: failure.report)))
    }
    return (records.jobs[job]?.work.ordered ?? []).map { number, segment in
      let id = SegmentID(job: job, index: number)
      return SegmentEntry(
        frames: segment.planned.frames, cost: segment.planned.cost,
        memory: segment.planned.peakMemory, state: records.state(of: segment, id),
        attempts: segment.attempts, failures: failures[number] ?? [], expiries: segment.expiries,
        held: records.held.filter { $0.grant.segment == id }.compactMap { held in
          records.worker(held.grant.worker).map {
            HeldChunk(worker: $0.id, identity: $0.identity, sha256: held.chunk.sha256)
          }
        })
    }
  }

  func chunks(of job: JobID) -> [Int: Digest] {
    (records.jobs[job]?.work.segments ?? [:]).filter { $0.value.state == .completed }
      .compactMapValues { $0.chunk?.sha256 }
  }

  func acceptedChunk(of token: LeaseToken) -> Digest? {
    let records = records
    if let grant = records.attempts.first(where: { $0.grant.token == token })?.grant,
      let segment = records.jobs[grant.segment.job]?.work.segments[grant.segment.index],
      segment.state == .completed
    {
      return segment.chunk?.sha256
    }
    return records.held.first { $0.grant.token == token }?.chunk.sha256
  }

  func chunksToKeep(since date: Date, _ byteLimit: Int64) -> Set<Digest> {
    let records = records
    var kept = Set(records.held.map(\.chunk.sha256))
    var total: Int64 = 0
    func keep(_ digest: Digest, _ byteCount: Int64, neededAt needed: Date) {
      guard !kept.contains(digest), needed >= date else { return }
      total += byteCount
      if total <= byteLimit { kept.insert(digest) }
    }
    for job in records.jobs.values where !job.state.isFinal {
      kept.formUnion(job.work.segments.values.compactMap { $0.chunk?.sha256 })
    }
    let ended = records.jobs.values.filter { $0.state.isWithoutFile }.sorted {
      ($0.finishedAt ?? .distantPast, $0.number) > ($1.finishedAt ?? .distantPast, $1.number)
    }
    for job in ended {
      for chunk in job.work.ordered.compactMap(\.segment.chunk) {
        keep(chunk.sha256, chunk.byteCount, neededAt: job.finishedAt ?? .distantPast)
      }
    }
    for entry in records.kept.values.sorted(by: { $0.usedAt > $1.usedAt }) {
      keep(entry.chunk.sha256, entry.chunk.byteCount, neededAt: entry.usedAt)
    }
    return kept
  }

  func neededChunks() -> Set<Digest> {
    let records = records
    return records.jobs.values.filter { $0.state != .completed }
      .reduce(into: Set(records.kept.values.map(\.chunk.sha256) + records.held.map(\.chunk.sha256)))
    { $0.formUnion($1.work.segments.values.compactMap { $0.chunk?.sha256 }) }
  }

  func disposableChunks(of job: JobID) -> [Digest] {
    let records = records
    let chunks = Set(
      (records.jobs[job]?.work.segments ?? [:]).values.compactMap { $0.chunk?.sha256 })
    return chunks.filter { chunk in
      !records.isNeeded(chunk) && !records.held.contains { $0.chunk.sha256 == chunk }
        && !records.kept.values.contains { $0.chunk.sha256 == chunk }
    }
  }
}

extension MemoryRecords {
  func worker(_ id: WorkerID) -> WorkerEntry? { workers.first { $0.entry.id == id }?.entry }

  func name(of id: WorkerID) -> String? { worker(id)?.name }

  /// The state of a segment as the scheduler expects it.
  fileprivate func state(of segment: Segment, _ id: SegmentID) -> SegmentEntry.State {
    switch segment.state {
    case .completed: return .completed(segment.worker)
    case .pending, .failed: return .pending
    case .leased:
      let running = attempts.map(\.self).filter { $0.isRunning && $0.grant.segment == id }
      let holders = running.sorted { $0.grant.attempt < $1.grant.attempt }.map {
        SegmentEntry.Holder(
          token: $0.grant.token, worker: $0.grant.worker, attempt: $0.grant.attempt)
      }
      return holders.isEmpty ? .pending : .leased(holders)
    }
  }
}
