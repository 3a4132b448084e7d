import Crypto
import FarmAPI
import Preparation
import Recording
import Timeline

/// The excerpts of the recordings that a project follows.
extension JobInputs {
  /// The recordings that the project follows, under each of their names.
  ///
  /// - Throws: ``JobError`` if an excerpt cannot be read.
  func followed(
    _ recordings: [FollowedRecording], _ indexes: [String: String], _ failures: [String: JobFailure]
  ) throws -> [PlanningRequest.Followed] {
    try recordings.flatMap { recording in
      let excerpts = try recording.excerpts.map { excerpt in
        let here = HereAsset(excerpt: excerpt, of: recording)
        guard let index = indexes[here.asset.name] else {
          throw JobError(
            failures[here.asset.name]
              ?? JobFailure(
                code: .damagedIndex,
                message: "\(here.asset.shown): its media index is missing: retry the job")
          )
        }
        return PlanningRequest.Excerpt(
          shown: here.asset.shown, reference: here.reference, index: index,
          sharedFrames: excerpt.range.sharedFrames)
      }
      return submission.assets.filter { $0.place == recording.place }.map {
        PlanningRequest.Followed(
          name: $0.name, isComplete: recording.isComplete, excerpts: excerpts)
      }
    }
  }

  /// Adds the files of the assets that are heard in an interim mix.
  ///
  /// - Throws: ``JobError`` if the plan names an asset that is neither the project's nor an excerpt, or if a number is out
  ///   of range.
  func referToInterimSources(of plan: inout PlanFacts, _ request: PlanningRequest) throws {
    guard var mix = plan.interimMix else { return }
    do throws(TimeError) {
      _ = try mix.sources(from: .zero, before: plan.frameDuration * Int64(plan.frameCount))
    } catch {
      throw JobError.damagedPlan("a number of its sound is out of range")
    }
    var references = references
    for excerpt in request.followed.flatMap(\.excerpts) {
      references[excerpt.reference.digest] = excerpt.reference
    }
    for number in mix.sources.indices {
      let source = mix.sources[number]
      guard let reference = references[source.asset] else {
        throw JobError(
          .missingAsset, "\(source.name): the submission does not state its digest")
      }
      mix.sources[number].reference = reference
    }
    plan.interimMix = mix
  }
}
