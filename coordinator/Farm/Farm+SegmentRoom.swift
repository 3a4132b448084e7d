import FarmAPI
import Scheduling

/// The room for the segments of jobs that are being rendered.
extension Farm {
  /// Waits until a planned job's segments fit in the farm's limit and it is its submitter's turn.
  ///
  /// - Throws: `CancellationError` if the job's run is cancelled first.
  func waitForSegmentRoom(_ count: Int, of id: JobID) async throws {
    try Task.checkCancellation()
    guard let job = jobs[id] else { throw CancellationError() }
    if let admitted = segmentRoom.count(of: id) {
      guard count > admitted else {
        segmentRoom.readmit(id, of: job.submitter, count)
        return admitSegments()
      }
      // A job that follows a recording has grown.
      segmentRoom.remove(id)
    }
    segmentRoom.enqueue(id, of: job.submitter, count)
    admitSegments()
    if !segmentRoom.contains(id) {
      log.info("planned: waiting for segments of other jobs (--max-segments)", .job(id))
    }
    while !segmentRoom.contains(id) {
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiter in
          // The handler may have run already.
          guard !Task.isCancelled else { return waiter.resume() }
          segmentWaiters[id] = waiter
        }
      } onCancel: {
        Task { await wake(id) }
      }
      guard !Task.isCancelled else {
        segmentRoom.stopWaiting(id)
        admitSegments()
        throw CancellationError()
      }
    }
  }

  /// Frees the room of a job that has ended.
  func leaveSegmentRoom(_ id: JobID) {
    segmentRoom.remove(id)
    wake(id)
    admitSegments()
  }

  private func admitSegments() {
    while let id = segmentRoom.admitNext() { wake(id) }
  }

  private func wake(_ id: JobID) { segmentWaiters.removeValue(forKey: id)?.resume() }
}
