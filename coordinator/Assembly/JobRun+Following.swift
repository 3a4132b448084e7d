import FarmAPI
import Preparation
import ProjectFormat
import Scheduling
import Timeline

/// Jobs that follow recordings: they render what is recorded while more is being recorded.
extension JobRun {
  /// A follower for each recording that the job follows.
  private func followers() async throws -> [RecordingFollower] {
    let submitter = await shop.farm.submitter(of: id)
    return try await shop.lookups.run(
      for: submitter, byteCount: shop.farm.submissionSize(of: id)
    ) {
      let work = JobWork(
        submission: try await shop.farm.submission(of: id), submitter: submitter, plan: nil,
        limits: PlanningLimits())
      var places: Set<String> = []
      return try await JobInputs(work, of: id, shop: shop).submission.assets.compactMap {
        asset -> RecordingFollower? in
        guard asset.isRemote, let url = asset.url, url.follows, let recording = url.recording,
          places.insert(asset.place).inserted
        else { return nil }
        return RecordingFollower(
          id: recording.id, place: asset.place, name: url.shown, job: id, submitter: submitter,
          shop: shop)
      }
    }
  }

  /// Makes the excerpts that are due, and waits until every recording has one or has ended.
  ///
  /// - Parameter needsMore: whether the project shows anything that is not recorded yet. If not, the recordings count as
  ///   complete.
  /// - Returns: the recordings that the job follows; an empty list for most jobs.
  /// - Throws: ``JobError``, or `StorageError` if the disk is full or fails.
  func followedRecordings(needingMore needsMore: Bool) async throws -> [FollowedRecording] {
    let recordings = try await followers()
    guard !recordings.isEmpty else { return [] }
    _ = try await shop.farm.beginSupply(of: id)
    while true {
      var made: [FollowedRecording] = []
      for recording in recordings { made.append(try await recording.make(needsMore: needsMore)) }
      await shop.farm.note(isFollowing: made.areGrowing, of: id)
      guard
        let empty = made.indices.first(where: { !made[$0].isComplete && made[$0].excerpts.isEmpty })
      else { return made }
      try await recordings[empty].waitForMore(than: made[empty], atLeast: .zero)
    }
  }

  /// Waits until one of the recordings has another excerpt or has ended.
  ///
  /// - Parameter pause: how long to wait even if there is another excerpt, unless a recording has ended.
  /// - Throws: `CancellationError` if the job has ended, ``JobError`` if a recording was deleted.
  func waitForMore(than made: [FollowedRecording], atLeast pause: Duration) async throws {
    let recordings = try await followers()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for recording in recordings {
        guard let known = made.first(where: { $0.place == recording.place }), !known.isComplete
        else { continue }
        group.addTask { try await recording.waitForMore(than: known, atLeast: pause) }
      }
      _ = try await group.next()
      group.cancelAll()
    }
  }

  /// Waits until all segments of a plan are rendered.
  func waitForChunks(of plan: PlanFacts, _ chunks: AsyncStream<ChunkNews>) async throws {
    var completed: Set<Int> = []
    for await news in chunks {
      switch news {
      case .accepted(let chunk): completed.insert(chunk.segment)
      case .restarted: completed = []
      }
      if completed.count == plan.segmentCount { return }
    }
    try Task.checkCancellation()
    throw JobError(
      .coordinator, "the job stopped before all of its segments were rendered: retry the job")
  }
}
