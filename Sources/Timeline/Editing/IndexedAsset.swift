/// An asset that can be inserted into a composition: its name in the project and its media index.
public struct IndexedAsset: Hashable, Sendable {
  /// The asset's name in the project.
  public let name: String
  /// The index that states the tracks and the time of each frame.
  public let index: MediaIndex

  /// Creates an asset from its name in the project and its media index.
  public init(name: String, index: MediaIndex) {
    self.name = name
    self.index = index
  }

  /// The tracks that are not empty: video before audio, each in container order.
  public var tracks: [AssetTrack] { tracks(mediaType: .video) + tracks(mediaType: .audio) }

  /// The tracks of a media type that are not empty, in container order.
  public func tracks(mediaType: MediaType) -> [AssetTrack] {
    trackIndexes(mediaType).map { AssetTrack(of: self, mediaType: mediaType, trackIndex: $0) }
  }

  /// The track of a media type at an index, from 0.
  ///
  /// - Throws: ``EditError/Code/unknownAssetTrack``.
  public func track(mediaType: MediaType, trackIndex: Int = 0) throws(EditError) -> AssetTrack {
    let known = trackIndexes(mediaType)
    guard known.contains(trackIndex) else {
      let numbers = known.map(String.init).joined(separator: ", ")
      throw EditError(
        code: .unknownAssetTrack,
        message: "the asset \"\(name)\" has no \(mediaType.rawValue) track \(trackIndex); "
          + (known.isEmpty ? "use an asset that has one" : "known tracks: \(numbers)"))
    }
    return AssetTrack(of: self, mediaType: mediaType, trackIndex: trackIndex)
  }

  private func trackIndexes(_ mediaType: MediaType) -> [Int] {
    switch mediaType {
    case .video: index.video.indices.filter { !index.video[$0].frames.times.isEmpty }
    case .audio: Array(index.audio.indices)
    }
  }
}
