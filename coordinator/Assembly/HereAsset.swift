import FarmAPI
import Preparation
import Recording
import Timeline

extension JobInputs {
  /// An asset of the project that is on this host, with its digest and size.
  struct HereAsset {
    let asset: ProjectAsset
    let reference: AssetReference
  }
}

extension JobInputs.HereAsset {
  /// An excerpt of a recording that the project follows.
  init(excerpt: RecordedExcerpt, of recording: FollowedRecording) {
    reference = AssetReference(digest: excerpt.sha256, byteCount: excerpt.byteCount)
    let name = "\(recording.place) from \(excerpt.range.start.threeDecimals) s"
    asset = ProjectAsset(
      name: name, place: name, shown: name, isRemote: false, isPlayed: true, isShown: false,
      reference: reference)
  }
}
