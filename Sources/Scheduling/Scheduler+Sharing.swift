import FarmAPI
import Planning

/// Identical segments of live jobs are rendered once. While one is leased, the others wait; they get its chunk, or one
/// of them takes over if its attempt ends without a chunk.
extension Scheduler {
  /// Records the contents of a job's segments, unless they are already known.
  mutating func learn(
    _ contents: [SegmentContent], of id: JobID, at now: Instant
  ) -> [Action] {
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
    for content in contents {
      let content = SharedContent(content: content, audience: job.audience)
      if self.contents[content]?.delivered.isEmpty == false {
        share(content, from: .any)
      }
    }
    return shareOut(at: now)
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
  mutating func shareChunk(of segment: SegmentID, at now: Instant) -> [Action] {
    guard
      let (fingerprint, content) = jobs[segment.job].map({
        ($0.fingerprint, $0.segments[segment.index].content)
      }), let fingerprint, let content
    else { return [] }
    contents[content]?.delivered[fingerprint] = segment
    share(content, from: .accepted(segment))
    return shareOut(at: now)
  }

  /// Whether a pending segment waits for the chunk of an identical one that is being rendered or was just delivered.
  func waitsForTwin(_ segment: SegmentRecord, _ fingerprint: String) -> Bool {
    segment.held.isEmpty
      && (isRenderedElsewhere(segment.content, fingerprint) || isBeingShared(segment.content))
  }

  /// Whether a delivered chunk is about to be shared with identical segments.
  func isBeingShared(_ content: SharedContent?) -> Bool {
    content.flatMap { contents[$0]?.shared } != nil
  }

  /// Notes that the segments of a content may get a delivered chunk.
  private mutating func share(_ content: SharedContent, from source: SharedSource) {
    if contents[content]?.shared == nil { sharing.append(content) }
    contents[content]?.shared = source
  }

  /// Notes that the chunk that a segment got from an identical one is missing or bad, so that it is not shared again.
  mutating func forgetShared(with segment: SegmentID) {
    guard
      let (fingerprint, content) = jobs[segment.job].map({
        ($0.fingerprint, $0.segments[segment.index].content)
      }), let fingerprint, let content
    else { return }
    contents[content]?.delivered[fingerprint] = nil
    if contents[content]?.shared != nil { contents[content]?.shared = .any }
  }

  /// Gives delivered chunks to a slice of the segments that wait for them. The next deadline handles the rest.
  mutating func shareOut(at now: Instant) -> [Action] {
    var actions: [Action] = []
    var room = settings.sharingSlice
    while room > 0, let content = sharing.first {
      let pairs = waiting(for: content, atMost: room)
      for (source, segment) in pairs { actions += share(source, with: segment) }
      room -= pairs.count
      if room > 0 {
        sharing.removeFirst()
        contents[content]?.shared = nil
        // Those that cannot have the chunk are rendered.
        wakeTwins(of: content)
      }
    }
    if !sharing.isEmpty, !isSharingDue {
      isSharingDue = true
      deadlines.insert(Deadline(instant: now + .milliseconds(1), subject: .sharing))
    }
    return actions
  }

  /// The first segments of a content that can get a delivered chunk, each with the segment that it comes from.
  private func waiting(
    for content: SharedContent, atMost limit: Int
  ) -> [(source: SegmentID, segment: SegmentID)] {
    guard let record = contents[content] else { return [] }
    var pairs: [(source: SegmentID, segment: SegmentID)] = []
    for (id, places) in record.places.sorted(by: { order(of: $0.key) < order(of: $1.key) }) {
      guard pairs.count < limit, let job = jobs[id], let source = source(of: content, for: job)
      else { continue }
      let indexes = places.lazy.filter {
        job.segments[$0].state == .pending && job.segments[$0].held.isEmpty
      }
      for index in indexes.prefix(limit - pairs.count) {
        pairs.append((source, SegmentID(job: id, index: index)))
      }
    }
    return pairs
  }

  /// The segment whose chunk the identical segments of a job get.
  private func source(of content: SharedContent, for job: JobRecord) -> SegmentID? {
    guard let record = contents[content], let shared = record.shared else { return nil }
    if case .accepted(let source) = shared, let fingerprint = jobs[source.job]?.fingerprint,
      job.fingerprint == fingerprint
        || (job.fingerprint == nil && (job.pool == nil || hasWorkers(fingerprint, in: job.pool))),
      hasChunk(source, of: content, fingerprint)
    {
      return source
    }
    for fingerprint in record.delivered.keys.sorted()
    where job.fingerprint == fingerprint
      || (job.fingerprint == nil && hasWorkers(fingerprint, in: job.pool))
    {
      if let source = record.delivered[fingerprint], hasChunk(source, of: content, fingerprint) {
        return source
      }
    }
    return nil
  }

  /// Whether a segment of a content has an accepted chunk of a fingerprint.
  private func hasChunk(
    _ segment: SegmentID, of content: SharedContent, _ fingerprint: String
  ) -> Bool {
    jobs[segment.job].map { job in
      job.fingerprint == fingerprint && job.segments[segment.index].state == .completed
        && job.segments[segment.index].content == content
    } ?? false
  }

  /// Offers the segments that waited for an attempt that has ended.
  mutating func wakeTwins(of content: SharedContent?) {
    guard let content, let record = contents[content], record.shared == nil else { return }
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
    // The job that the chunk came from may end first.
    if let content = jobs[segment.job]?.segments[segment.index].content {
      contents[content]?.delivered[fingerprint] = segment
    }
    if bound == nil { wakeAll(of: segment.job) }
    if jobs[segment.job]?.available ?? 0 > 0 { markReady(key, fingerprint: fingerprint) }
    let isLast = jobs[segment.job].map { $0.counts.completed == $0.segments.count } ?? false
    return (bound == nil ? [.fixFingerprint(segment.job, fingerprint)] : [])
      + [.shareChunk(source, with: segment)]
      + (isLast ? [.finishRendering(segment.job)] : [])
  }
}
