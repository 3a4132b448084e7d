import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling

/// What a job's stream is made of.
struct StreamedFilm: Sendable {
  /// The job's sound.
  enum Sound: Sendable {
    /// It has none.
    case none
    /// It is not mixed yet.
    case pending
    /// The mix is in the folder of the job's run.
    case mixed(AssetFile)
    /// The job has ended, and its mix may be kept under a key for later jobs.
    case kept(MixStore.Key)
  }

  /// The plan without its lists.
  let plan: PlanFacts
  /// The frame counts of its segments, in order.
  let frameCounts: [Int32]
  /// The accepted chunks, by segment.
  let chunks: [Int: Digest]
  let sound: Sound
  /// Whether the job is completed.
  let isCompleted: Bool
}

/// Streams of jobs that are being rendered.
extension Farm {
  /// Remembers the mix of a live job.
  func note(mix: AssetFile, of id: JobID) { jobs[id]?.mix = mix }

  /// What a job's stream is made of at the moment.
  ///
  /// - Throws: ``FarmError`` if the job does not exist or the caller may not see it, if it is not planned yet, if it has
  ///   no pictures, or if it has failed or was cancelled.
  func film(of id: JobID, for caller: Caller) async throws -> StreamedFilm {
    try assureStreamable(id, try row(of: id, for: caller).status.state)
    let (plan, frameCounts, chunks) = try await snapshot { ledger in
      (
        try? ledger.plan(of: id)?.withoutLists, try ledger.frameCounts(of: id),
        try ledger.chunks(of: id)
      )
    }
    guard let plan, plan.format == PlanFacts.currentFormat, frameCounts.count == plan.segmentCount
    else {
      throw FarmError(
        .wrongState, "job '\(id)' has not been planned yet: wait until it is being rendered")
    }
    guard plan.frameCount > 0 else {
      throw FarmError(.wrongState, "job '\(id)' has no pictures: wait for its file")
    }
    // The job may have ended meanwhile.
    let state = try row(of: id, for: caller).status.state
    try assureStreamable(id, state)
    return StreamedFilm(
      plan: plan, frameCounts: frameCounts, chunks: chunks,
      sound: try sound(of: id, plan, hasEnded: state == .completed),
      isCompleted: state == .completed)
  }

  private func assureStreamable(_ id: JobID, _ state: JobState) throws {
    guard state != .failed, state != .cancelled else {
      throw FarmError(
        .wrongState, "job '\(id)' is \(state.rawValue), so it has no stream: retry the job")
    }
  }

  private func sound(
    of id: JobID, _ plan: PlanFacts, hasEnded: Bool
  ) throws -> StreamedFilm.Sound {
    guard let sound = plan.sound else { return .none }
    if let mix = jobs[id]?.mix { return .mixed(mix) }
    guard hasEnded, let fingerprint = sound.fingerprint,
      let sharing = try reuse.mixSharing(of: id)
    else { return .pending }
    return .kept(
      MixStore.Key(
        fingerprint: fingerprint, sound: sound.part.digest, audience: sharing.audience))
  }
}
