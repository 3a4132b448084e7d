/// An asset for edits: its name in the project and the index of its media.
public struct IndexedAsset: Hashable, Sendable {
  /// The asset's name in the project.
  public let name: String
  /// The index of its media.
  public let index: MediaIndex

  /// An asset from its name in the project and its media index.
  public init(name: String, index: MediaIndex) {
    self.name = name
    self.index = index
  }

  /// The tracks that have something to show or play: video before audio, each in the container's order.
  public var tracks: [AssetTrack] { tracks(mediaType: .video) + tracks(mediaType: .audio) }

  /// The tracks of a media type that have something to show or play, in the container's order.
  public func tracks(mediaType: MediaType) -> [AssetTrack] {
    trackIndexes(mediaType).map { AssetTrack(of: self, mediaType: mediaType, trackIndex: $0) }
  }

  /// The track of a media type with a number, from 0.
  ///
  /// - Throws: ``EditError/Code/unknownAssetTrack``.
  public func track(mediaType: MediaType, trackIndex: Int = 0) throws(EditError) -> AssetTrack {
    let known = trackIndexes(mediaType)
    guard known.contains(trackIndex) else {
      let numbers = known.map(String.init).joined(separator: ", ")
      throw EditError(
        code: .unknownAssetTrack,
        message: "the asset \"\(name)\" has no \(mediaType.rawValue) track \(trackIndex); "
          + (known.isEmpty ? "name an asset that has one" : "it has \(numbers)"))
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
