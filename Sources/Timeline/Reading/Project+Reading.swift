extension Project {
  /// Reads the composition form; `nil` where a part cannot be read, which is in the log.
  init?(reading members: JSONMembers) {
    let assets = Self.assets(members.required("assets"))
    let composition = members.required("composition").flatMap(Composition.init(reading:))
    let videoComposition = members.optional("videoComposition").map(VideoComposition.init(reading:))
    let audioMix = members.optional("audioMix").map(AudioMix.init(reading:))
    let export = members.optional("export").map(ExportSettings.init(reading:))
    guard let assets, let composition else { return nil }
    self.init(
      assets: assets, composition: composition, videoComposition: videoComposition ?? nil,
      audioMix: audioMix ?? nil, export: export ?? ExportSettings())
  }

  private static func assets(_ node: JSONNode?) -> [String: Asset]? {
    guard let node, case .object(let object) = node.value else {
      _ = node?.object([])
      return nil
    }
    var assets: [String: Asset] = [:]
    for (name, node) in JSONMembers(path: node.path, object: object, log: node.log).all {
      if let asset = Asset(reading: node) { assets[name] = asset }
    }
    return assets
  }
}

extension Asset {
  /// Reads `{"path": …}` or `{"url": …}`.
  init?(reading node: JSONNode) {
    guard let members = node.object(["path", "url"]) else { return nil }
    guard let url = members.optional("url") else {
      guard let path = members.required("path")?.filePath() else { return nil }
      self.init(path: path)
      return
    }
    guard members.optional("path") == nil else {
      node.refuse("there is a \"path\" as well as a \"url\"", "write one of the two")
      return nil
    }
    guard let url = url.assetURL() else { return nil }
    self.init(url: url)
  }
}

extension Composition {
  /// Reads `{"tracks": […], "naturalSize": {…}}`.
  init?(reading node: JSONNode) {
    guard let members = node.object(["tracks", "naturalSize"]),
      let tracks = members.required("tracks")?.array()
    else { return nil }
    self.init(
      tracks: tracks.compactMap(Track.init(reading:)),
      naturalSize: members.optional("naturalSize").flatMap(NaturalSize.init(reading:)))
  }
}

extension NaturalSize {
  /// Reads `{"width", "height"}`.
  init?(reading node: JSONNode) {
    guard let members = node.object(["width", "height"]) else { return nil }
    let width = members.required("width")?.number()
    let height = members.required("height")?.number()
    guard let width, let height else { return nil }
    self.init(width: width, height: height)
  }
}

extension Track {
  init?(reading node: JSONNode) {
    guard
      let members = node.object(
        ["id", "mediaType", "segments", "preferredTransform"],
        later: ["preferredVolume", "enabled"])
    else { return nil }
    let id = members.required("id")?.integer()
    let mediaType = members.required("mediaType")?
      .choice(of: MediaType.self, later: ["text", "subtitle", "metadata"])
    let segments = members.required("segments")?.array()?.compactMap(TrackSegment.init(reading:))
    guard let id, let mediaType, let segments else { return nil }
    let transform = members.optional("preferredTransform").flatMap(AffineTransform.init(reading:))
    self.init(id: id, mediaType: mediaType, segments: segments, preferredTransform: transform)
  }
}

extension TrackSegment {
  init?(reading node: JSONNode) {
    guard
      let members = node.object(
        ["asset", "trackIndex", "source", "target"], later: ["reverse", "freeze"])
    else { return nil }
    let asset = members.required("asset")?.string()
    let trackIndex = members.optional("trackIndex").map { $0.integer() } ?? 0
    let source = members.required("source")?.timeRange()
    let target = members.required("target")?.timeRange()
    guard let asset, let trackIndex, let source, let target else { return nil }
    self.init(asset: asset, trackIndex: trackIndex, source: source, target: target)
  }
}

extension AudioMix {
  /// Reads `{"inputParameters": […]}`.
  init?(reading node: JSONNode) {
    guard
      let parameters = node.object(["inputParameters"])?.required("inputParameters")?.array()
    else { return nil }
    self.init(inputParameters: parameters.compactMap(AudioMixInputParameters.init(reading:)))
  }
}

extension AudioMixInputParameters {
  init?(reading node: JSONNode) {
    guard
      let members = node.object(
        ["track", "volume", "audioTimePitchAlgorithm", "duck"], later: ["pan", "effects"])
    else { return nil }
    let track = members.required("track")?.integer()
    let volume = members.optional("volume").map { Ramps(reading: $0) { $0.number() } } ?? Ramps()
    let algorithm = members.optional("audioTimePitchAlgorithm")?
      .choice(
        of: AudioTimePitchAlgorithm.self, later: ["timeDomain", "lowQualityZeroLatency"])
    let duck = members.optional("duck").flatMap { Ducking.reading($0, naming: true) } ?? nil
    guard let track, let volume else { return nil }
    self.init(track: track, volume: volume, audioTimePitchAlgorithm: algorithm, duck: duck)
  }
}
