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
                code: .damagedIndex, message: "\(here.asset.shown): it has no media index")
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

  /// An asset of the project that is on this host, with its digest and size.
  struct HereAsset {
    let asset: ProjectAsset
    let reference: AssetReference

    init(asset: ProjectAsset, reference: AssetReference) {
      self.asset = asset
      self.reference = reference
    }

    /// An excerpt of a recording that the project follows.
    init(excerpt: RecordedExcerpt, of recording: FollowedRecording) {
      reference = AssetReference(digest: excerpt.sha256, byteCount: excerpt.byteCount)
      let name = "\(recording.place) from \(excerpt.range.start.threeDecimals) s"
      asset = ProjectAsset(
        name: name, place: name, shown: name, isRemote: false, isPlayed: true, isShown: false,
        reference: reference)
    }
  }
}
