import FarmAPI
import Scheduling
import Timeline

/// Attempts, and the drawing of their segments.
extension Farm {
  /// The attempts at a segment, newest first.
  ///
  /// - Throws: ``FarmError`` if the job or the segment does not exist or the caller may not see it.
  func attempts(
    at index: Int, of id: JobID, for caller: Caller = .local
  ) throws -> [SegmentAttempt] {
    _ = try segment(index, of: id, for: caller)
    return try ledger.attempts(
      at: SegmentID(job: id, index: index), limit: Self.attemptLimit
    ).map { completed($0, withLog: true) }
  }

  /// The maximum number of attempts at one segment that are returned.
  private static let attemptLimit = 100

  /// Some of the attempts at a job's segments, in order of their start.
  ///
  /// - Parameters:
  ///   - skipped: the number of attempts before them.
  ///   - limit: the maximum number of attempts.
  ///   - hasLogs: whether to include their logs.
  func attempts(
    of id: JobID, after skipped: Int = 0, limit: Int, withLogs hasLogs: Bool = false,
    for caller: Caller = .local
  ) throws -> [SegmentAttempt] {
    _ = try row(of: id, for: caller)
    return try ledger.attempts(of: id, after: skipped, limit: limit, withLogs: hasLogs).map {
      completed($0, withLog: hasLogs)
    }
  }

  /// Adds the facts about a running attempt that are only in memory.
  private func completed(_ attempt: RecordedAttempt, withLog hasLog: Bool) -> SegmentAttempt {
    var status = attempt.status
    guard status.outcome == nil else { return status }
    status.framesRendered = scheduler.runningAttempt(under: attempt.token)?.framesRendered
    if hasLog { status.log = attemptNotes.log(of: attempt.token) }
    return status
  }

  /// One of a job's segments.
  ///
  /// - Throws: ``FarmError`` if the job or the segment does not exist or the caller may not see it.
  func segment(
    _ index: Int, of id: JobID, for caller: Caller = .local
  ) throws -> SegmentStatus {
    guard let segment = try segments(of: id, after: index - 1, limit: 1, for: caller).first,
      segment.index == index
    else { throw FarmError.notFound("segment", "\(index)") }
    return segment
  }

  /// The transition that records the log of an attempt that ends.
  func logged(_ grant: Grant, _ outcome: AttemptOutcome) -> Transition {
    .attemptLogged(
      grant, attemptNotes.log(of: grant.token, endingWith: outcome, at: clock.date()))
  }

  /// The transitions that record the end of an attempt and its log. If it delivered a chunk, they are recorded with the
  /// chunk.
  func transitions(_ grant: Grant, _ outcome: AttemptOutcome) -> [Transition] {
    guard ![.completed, .held].contains(outcome) else { return [] }
    return [
      .attemptEnded(
        grant, outcome, framesRendered: attemptNotes.framesRendered(of: grant.token),
        at: clock.date()),
      logged(grant, outcome),
    ]
  }

  /// Adds the lines that a worker has sent to the log of its running attempt.
  func note(workerLog text: String?, of token: LeaseToken) {
    guard let text, scheduler.runningAttempt(under: token) != nil else { return }
    // The worker's lines about its requests contain the lease's token, which proves that it has the lease.
    let lines = text.shortened(toBytes: AttemptLog.byteLimit)
      .replacing(token.rawValue, with: "…")
    attemptNotes.add(linesOf: PublicMessage.withoutPlaces(lines), to: token)
  }

  // MARK: Drawing

  /// The drawing of a job that has not ended. It is made again only if a segment has changed.
  func drawing(of row: JobRow) throws -> SegmentDrawing? {
    guard row.status.planHash != nil else { return nil }
    let revision = scheduler.revision(of: row.id)
    if let known = jobs[row.id]?.drawing, known.revision == revision { return known.drawing }
    let drawing: SegmentDrawing?
    if revision != nil {
      let kinds = jobs[row.id]?.segmentKinds
      drawing = SegmentDrawing(
        scheduler.segmentStates(of: row.id).enumerated().map { index, segment in
          SegmentDrawing.Part(segment, method: kinds?[index])
        })
    } else {
      drawing = try ledger.drawing(of: row.id)
    }
    jobs[row.id]?.drawing = LiveJob.Drawing(revision: revision, drawing: drawing)
    return drawing
  }

  /// Forgets the drawing of a job that is not scheduled, because its segments in the ledger may have changed.
  func forgetDrawing(of id: JobID) {
    if jobs[id]?.drawing?.revision == nil { jobs[id]?.drawing = nil }
  }
}
