import FarmAPI
import Preparation
import ProjectFormat
import Scheduling
import Timeline

/// Jobs that follow recordings: they render what is recorded while more is being recorded.
extension JobRun {
  /// The recordings that the job follows.
  private func followed() async throws -> [RecordingExcerpts] {
    let submitter = await shop.farm.submitter(of: id)
    let found = try await withInputs(in: shop.lookups) { inputs, _ in
      var places: Set<String> = []
      return inputs.submission.assets.compactMap { asset -> RecordingExcerpts? in
        guard asset.isRemote, let url = asset.url, url.follows, let recording = url.recording,
          places.insert(asset.place).inserted
        else { return nil }
        return RecordingExcerpts(
          id: recording.id, place: asset.place, name: url.shown, submitter: submitter, shop: shop)
      }
    }
    return found ?? []
  }

  /// Makes the excerpts that are due. If a recording has nothing to render yet, waits until it has.
  ///
  /// - Parameter suffice: whether everything that the film shows is recorded. Recordings then count as complete, because
  ///   later parts are not used.
  /// - Returns: the recordings that the job follows; an empty list for most jobs.
  func followedRecordings(whichSuffice suffice: Bool) async throws -> [FollowedRecording] {
    let recordings = try await followed()
    guard !recordings.isEmpty else { return [] }
    _ = try await shop.farm.beginSupply(of: id)
    while true {
      var made: [FollowedRecording] = []
      for recording in recordings { made.append(try await recording.make(isEnough: suffice)) }
      await shop.farm.note(isFollowing: made.areGrowing, of: id)
      guard
        let empty = made.indices.first(where: { !made[$0].isComplete && made[$0].excerpts.isEmpty })
      else { return made }
      try await recordings[empty].waitForMore(than: made[empty])
    }
  }

  /// Waits until the recordings that the job follows have more to render than a plan's.
  func waitForMore(than made: [FollowedRecording]) async throws {
    let recordings = try await followed()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for recording in recordings {
        guard let known = made.first(where: { $0.place == recording.place }), !known.isComplete
        else { continue }
        group.addTask { try await recording.waitForMore(than: known) }
      }
      _ = try await group.next()
      group.cancelAll()
    }
  }

  /// Waits until all segments of a plan are rendered.
  func waitForChunks(of plan: PlanFacts, _ chunks: AsyncStream<ChunkNews>) async throws {
    var completed: Set<Int> = []
    guard plan.segmentCount > 0 else { return }
    for await news in chunks {
      switch news {
      case .accepted(let chunk): completed.insert(chunk.segment)
      case .restarted: completed = []
      }
      if completed.count == plan.segmentCount { return }
    }
    try Task.checkCancellation()
    throw JobError(.coordinator, "the job's segments are no longer rendered: retry the job")
  }
}

extension [FollowedRecording] {
  /// Whether one of them has not ended.
  var areGrowing: Bool { contains { !$0.isComplete } }

  /// The number of their excerpts if one of them has not ended; `nil` if the plan is that of the whole film.
  var excerptCount: Int? {
    areGrowing ? reduce(0) { $0 + $1.excerpts.count } : nil
  }
}
