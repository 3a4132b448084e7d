import FarmAPI
import Planning

/// Identical segments of live jobs are rendered once. While one is leased, the others wait; they get its chunk, or one
/// of them takes over if its attempt ends without a chunk.
extension Scheduler {
  /// Records the contents of a job's segments, unless they are already known.
  mutating func learn(_ contents: [SegmentContent], of id: JobID) -> [Action] {
    guard let job = jobs[id], job.segments.count == contents.count,
      job.segments.first?.content == nil
    else { return [] }
    for (index, content) in contents.enumerated() {
      let content = SharedContent(content: content, audience: job.audience)
      change(id) { $0.segments[index].content = content }
      self.contents[content, default: ContentRecord()].places[id, default: []].append(index)
      if job.segments[index].isBeingRendered {
        countLease(of: SegmentID(job: id, index: index), 1)
      }
    }
    var actions: [Action] = []
    for index in contents.indices {
      let segment = SegmentID(job: id, index: index)
      if let source = delivered(for: segment) { actions += share(source, with: segment) }
    }
    return actions
  }

  /// Forgets the contents of a job's segments. The job's leases must have ended.
  mutating func forgetContents(of id: JobID, _ segments: [SegmentRecord]) {
    for content in Set(segments.compactMap(\.content)) {
      contents[content]?.places[id] = nil
      if contents[content]?.places.isEmpty == true { contents[content] = nil }
    }
  }

  /// Changes the number of leases of a segment's content.
  mutating func countLease(of segment: SegmentID, _ difference: Int) {
    guard let job = jobs[segment.job], let fingerprint = job.fingerprint,
      let content = job.segments[segment.index].content
    else { return }
    let count = (contents[content]?.leased[fingerprint] ?? 0) + difference
    contents[content]?.leased[fingerprint] = count > 0 ? count : nil
  }

  /// Whether a worker with the fingerprint has a lease of an identical segment.
  func isRenderedElsewhere(_ content: SharedContent?, _ fingerprint: String) -> Bool {
    content.flatMap { contents[$0]?.leased[fingerprint] } != nil
  }

  /// Gives a chunk that was just accepted to every segment that waits for it.
  mutating func shareChunk(of segment: SegmentID) -> [Action] {
    guard let job = jobs[segment.job], let fingerprint = job.fingerprint,
      let content = job.segments[segment.index].content, let record = contents[content]
    else { return [] }
    contents[content]?.delivered[fingerprint] = segment
    var actions: [Action] = []
    for (id, places) in record.places.sorted(by: { order(of: $0.key) < order(of: $1.key) }) {
      for index in places { actions += share(segment, with: SegmentID(job: id, index: index)) }
    }
    return actions
  }

  /// Offers the segments that waited for an attempt that has ended.
  mutating func wakeTwins(of content: SharedContent?) {
    guard let content, let record = contents[content] else { return }
    for (id, places) in record.places {
      let isWoken = change(id) { job in
        let waiting = places.filter {
          job.segments[$0].state == .pending && !job.segments[$0].isQueued
        }
        for index in waiting { job.enqueue(index) }
        return !waiting.isEmpty
      }
      if isWoken == true, let job = jobs[id] { markReady(job.key, fingerprint: job.fingerprint) }
    }
  }

  /// Offers all waiting segments of a job, because workers of another fingerprint serve it now.
  mutating func wakeAll(of id: JobID) {
    change(id) { job in
      for index in job.segments.indices where job.segments[index].state == .pending {
        job.enqueue(index)
      }
    }
  }

  private func order(of id: JobID) -> Int { jobs[id]?.key.order ?? .max }

  /// A segment with an accepted chunk that a pending segment can reuse.
  private func delivered(for segment: SegmentID) -> SegmentID? {
    guard let job = jobs[segment.job], let content = job.segments[segment.index].content,
      let record = contents[content]
    else { return nil }
    for fingerprint in record.delivered.keys.sorted()
    where job.fingerprint == fingerprint
      || (job.fingerprint == nil && (availableWorkers[fingerprint] ?? 0) > 0)
    {
      if let source = record.delivered[fingerprint], let other = jobs[source.job],
        other.fingerprint == fingerprint, other.segments[source.index].state == .completed,
        other.segments[source.index].content == content
      {
        return source
      }
    }
    return nil
  }

  /// Gives a segment's chunk to an identical pending one.
  private mutating func share(_ source: SegmentID, with segment: SegmentID) -> [Action] {
    // Reads only the needed properties: holding a copy of the job would make the next change copy all of it.
    guard let fingerprint = jobs[source.job]?.fingerprint,
      let (key, bound, isWaiting) = jobs[segment.job].map({ job in
        let record = job.segments[segment.index]
        return (job.key, job.fingerprint, record.state == .pending && record.held.isEmpty)
      }), isWaiting, bound == nil || bound == fingerprint
    else { return [] }
    unmarkReady(key, fingerprint: bound)
    change(segment.job) { job in
      job.withhold(segment.index)
      job.fingerprint = fingerprint
      job.segments[segment.index].state = .completed
      job.segments[segment.index].deliverer = nil
      job.counts.pending -= 1
      job.counts.completed += 1
      job.framesCompleted += job.segments[segment.index].frames.count
      job.starvingSince = nil
    }
    if bound == nil { wakeAll(of: segment.job) }
    if jobs[segment.job]?.available ?? 0 > 0 { markReady(key, fingerprint: fingerprint) }
    let isLast = jobs[segment.job].map { $0.counts.completed == $0.segments.count } ?? false
    return (bound == nil ? [.fixFingerprint(segment.job, fingerprint)] : [])
      + [.shareChunk(source, with: segment)]
      + (isLast ? [.finishRendering(segment.job)] : [])
  }
}
