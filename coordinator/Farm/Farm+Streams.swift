import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling
import Timeline

/// The plan, chunks and sound of a job's stream.
struct StreamedFilm: Sendable {
  /// The job's sound.
  enum Sound: Sendable {
    /// It has none.
    case none
    /// It is not mixed yet.
    case pending
    /// The mix is in the folder of the job's run.
    case mixed(AssetFile)
    /// The mix may be kept under a key for later jobs.
    case kept(MixStore.Key)
    /// The job follows a recording, and its pieces have an interim mix.
    case interim(PlanFacts.InterimMix)
  }

  /// The plan without its lists.
  let plan: PlanFacts
  /// The frame counts of its segments, in order.
  let frameCounts: [Int32]
  /// The accepted chunks, by segment.
  let chunks: [Int: Digest]
  var sound: Sound
  /// Whether the job is completed.
  let isCompleted: Bool
}

/// Streams of jobs.
extension Farm {
  /// Remembers the mix of a live job; `nil` if its run's folder is removed.
  func note(mix: AssetFile?, of id: JobID) {
    guard mix == nil || !Task.isCancelled else { return }
    jobs[id]?.mix = mix
  }

  /// Notes how many segments a job's playlist lists, which must not become fewer.
  ///
  /// - Throws: ``FarmError`` if they are fewer, because a part is rendered again.
  func note(listedSegments count: Int, of id: JobID) throws {
    guard let job = jobs[id] else { return }
    guard count >= job.listedSegments else {
      throw FarmError(.unavailable, "a part of job '\(id)' is rendered again: try again")
    }
    jobs[id]?.listedSegments = count
  }

  /// The current contents of a job's stream.
  ///
  /// - Parameter withSources: whether the sources of an interim mix are included.
  /// - Throws: ``FarmError`` if the job does not exist or the caller may not see it, if it is not planned yet, if it has
  ///   no pictures, or if it has failed or was cancelled.
  func film(
    of id: JobID, for caller: Caller, withSources: Bool = false
  ) async throws -> StreamedFilm {
    try assureStreamable(id, try row(of: id, for: caller).status.state)
    var (plan, frameCounts, chunks): (PlanFacts?, [Int32], [Int: Digest])
    var known: PlanFacts?
    repeat {
      // The plan in memory lacks the interim mix's sources.
      known = jobs[id]?.facts.flatMap { withSources && $0.interimMix != nil ? nil : $0 }
      (plan, frameCounts, chunks) = try await snapshot { [known] ledger in
        (
          known ?? (try? ledger.plan(of: id)), try ledger.frameCounts(of: id),
          try ledger.chunks(of: id)
        )
      }
      // It may have been replaced meanwhile.
    } while known != nil && known?.hash != jobs[id]?.facts?.hash
    guard let plan, frameCounts.count == plan.segmentCount else {
      throw FarmError(
        .wrongState, "job '\(id)' has not been planned yet: wait until it is being rendered")
    }
    guard plan.format == PlanFacts.currentFormat else {
      throw FarmError(
        .wrongState,
        "job '\(id)' was planned by another version: download the file when it is completed")
    }
    guard !plan.isProvisional || plan.interimSound != nil else {
      throw FarmError(
        .wrongState,
        "job '\(id)' was planned by another version: try again when more is recorded")
    }
    guard plan.frameCount > 0 else {
      throw FarmError(
        .wrongState, "job '\(id)' has no pictures: download the file when it is completed")
    }
    guard plan.codec != .prores else {
      throw FarmError(
        .wrongState,
        "job '\(id)': fragmented MP4 cannot hold ProRes: download the file when the job is completed"
      )
    }
    // The job may have ended meanwhile.
    let state = try row(of: id, for: caller).status.state
    try assureStreamable(id, state)
    return StreamedFilm(
      plan: plan.withoutLists, frameCounts: frameCounts, chunks: chunks,
      sound: try sound(of: id, plan), isCompleted: state == .completed)
  }

  /// An asset to which chunks of a job refer; `nil` if its plan names no such asset.
  func copiedAsset(_ digest: Digest, of id: JobID) async throws -> PlanFacts.CopiedAsset? {
    if let known = copiedAssets, known.job == id, known.plan == jobs[id]?.facts?.hash {
      return known.assets[digest]
    }
    guard let plan = try await snapshot({ try $0.plan(of: id) }) else { return nil }
    let assets = (plan.copiedAssets ?? []).map { ($0.asset, $0) }
    let found = Dictionary(assets) { first, _ in first }
    copiedAssets = (id, plan.hash, found)
    return found[digest]
  }

  private func assureStreamable(_ id: JobID, _ state: JobState) throws {
    guard state != .failed, state != .cancelled else {
      throw FarmError(
        .wrongState,
        "job '\(id)' \(state == .failed ? "has failed" : "was cancelled"), so it cannot be streamed: "
          + "retry it")
    }
  }

  private func sound(of id: JobID, _ plan: PlanFacts) throws -> StreamedFilm.Sound {
    if let mix = plan.interimMix { return .interim(mix) }
    guard let sound = plan.sound else { return plan.interimSound == .pending ? .pending : .none }
    if let mix = jobs[id]?.mix { return .mixed(mix) }
    guard let fingerprint = sound.fingerprint, let sharing = try reuse.mixSharing(of: id) else {
      return .pending
    }
    return .kept(
      MixStore.Key(
        fingerprint: fingerprint, sound: sound.part.digest, audience: sharing.audience))
  }
}
