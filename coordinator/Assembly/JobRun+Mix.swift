import FarmAPI
import Planning
import Preparation
import Scheduling
import Threads
import Timeline

extension JobRun {
  /// Mixes the job's sound, or takes the mix that an earlier run of any job made of the same sound.
  ///
  /// - Parameter tell: called with news while the sound is mixed, if the plan allows the file to be assembled meanwhile.
  func mix(
    _ sound: PlanFacts.Sound, of plan: PlanFacts, telling tell: @Sendable (SoundNews) -> Void
  ) async throws -> AssetFile {
    let mixed: MixedSound
    let sharing = try await shop.farm.mixSharing(of: id)
    if let kept = try await keptMix(of: sound, sharing) {
      mixed = kept
      shop.log.info("sound reused from an earlier run", .job(id))
      await shop.farm.noteReusedMix()
    } else {
      mixed = try await newMix(of: plan, telling: tell)
      await keep(mixed, of: sound, sharing)
      let copied = mixed.report.copied.map { ", \($0.threeDecimals) s of it copied" } ?? ""
      shop.log.info("sound mixed\(copied)", .job(id))
    }
    try await shop.farm.note(mixed.report.waveform, of: id)
    try await shop.farm.note(mixed.report, of: id)
    let file = AssetFile(
      path: work.mix, blocks: BlockList(path: work.mixBlocks, digest: mixed.blocks))
    await shop.farm.note(mix: file, of: id)
    return file
  }

  /// Mixes the sound in a media process.
  private func newMix(
    of plan: PlanFacts, telling tell: @Sendable (SoundNews) -> Void
  ) async throws -> MixedSound {
    try await shop.tools.mix(for: shop.farm.submitter(of: id), telling: tell) {
      var (request, sound) = try await request()
      if sound.arrivesInParts == true, let limit = Self.partLimit(of: plan) {
        request.parts = work.soundParts
        // Plus one, for their withdrawal.
        request.newsLimit = limit + 1
      }
      return (request, sound)
    }
  }

  /// The maximum number of parts of a plan's sound, each with ``SoundPart/length``; `nil` if there may be too many for the
  /// coordinator's memory.
  private static func partLimit(of plan: PlanFacts) -> Int? {
    let length = try? plan.frameDuration * Int64(plan.frameCount)
    guard let count = try? length?.ticks(of: RationalTime(SoundPart.length), rounding: .up),
      (1...100_000).contains(count)
    else { return nil }
    // Plus two, for the encoder's delay and the rest.
    return Int(count) + 2
  }

  /// The request to mix the sound, after checking that the submission names the assets that are heard.
  private func request() async throws -> (MixRequest, PlanFacts.Sound) {
    let mix = try await withInputs(in: shop.lookups) {
      inputs, plan -> (MixRequest, PlanFacts.Sound) in
      // The file may disappear at any time. The run then starts again and creates another plan.
      guard let plan, let sound = plan.sound else {
        throw JobError.damagedPlan("its file is missing")
      }
      let request = MixRequest(
        mix: try await source(sound.part, of: plan), files: try await inputs.files(of: sound),
        output: work.mix,
        blocks: work.mixBlocks)
      return (request, sound)
    }
    guard let mix else { throw CancellationError() }
    return mix
  }

  /// The mix of an earlier run, which is now in this run's folder; `nil` if there is none.
  private func keptMix(
    of sound: PlanFacts.Sound, _ sharing: MixSharing?
  ) async throws -> MixedSound? {
    guard let sharing, sharing.mayReuse, let fingerprint = sound.fingerprint else { return nil }
    // The same checks as for a new mix: a planning process must not get at another submitter's sound.
    _ = try await request()
    let key = MixStore.Key(
      fingerprint: fingerprint, sound: sound.part.digest, audience: sharing.audience)
    // If it cannot be read now, the sound is mixed again.
    return try? await BlockingThread.run(named: "reuse") { [shop, work] in
      try shop.mixes.lend(key, as: work.mix, blocks: work.mixBlocks)
    }
  }

  /// Keeps a new mix for later jobs. Its process states the libraries that made it, which may be newer than the plan.
  private func keep(_ mixed: MixedSound, of sound: PlanFacts.Sound, _ sharing: MixSharing?) async {
    guard let sharing else { return }
    let key = MixStore.Key(
      fingerprint: mixed.fingerprint, sound: sound.part.digest, audience: sharing.audience)
    try? await shop.threads.run { [shop, work] in
      shop.mixes.keep(
        mixed, of: key, at: work.mix, blocks: work.mixBlocks, staging: work.keptMix)
    }
  }
}
