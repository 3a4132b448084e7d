import Timeline

extension Project {
  /// Reads the composition form. Values that cannot be read are logged and replaced by placeholders.
  init(reading members: JSONMembers) {
    let assets = Self.assets(members.required("assets"))
    let composition = members.required("composition").flatMap(Composition.init(reading:))
    let videoComposition = members.optional("videoComposition").map(VideoComposition.init(reading:))
    let audioMix = members.optional("audioMix").map(AudioMix.init(reading:))
    let export = members.optional("export").map(ExportSettings.init(reading:))
    self.init(
      assets: assets ?? [:], composition: composition ?? Composition(),
      videoComposition: videoComposition ?? nil,
      audioMix: audioMix ?? nil, export: export ?? ExportSettings(.automatic))
  }

  private static func assets(_ node: JSONNode?) -> [String: Asset]? {
    guard let node, case .object(let object) = node.value else {
      _ = node?.object([])
      return nil
    }
    var assets: [String: Asset] = [:]
    for (name, node) in JSONMembers(path: node.path, object: object, log: node.log).all {
      // The name counts as known even if its file cannot be read.
      assets[name] = Asset(reading: node) ?? Asset(path: "")
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
      node.refuse("\"path\" and \"url\" cannot be used together", "remove one of them")
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
      tracks: tracks.map(Track.init(reading:)),
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
  fileprivate init(reading node: JSONNode) {
    self.init(id: 0, mediaType: .video)
    guard
      let members = node.object(
        ["id", "mediaType", "segments", "preferredTransform"],
        later: ["preferredVolume", "enabled"])
    else { return }
    let id = members.required("id")?.integer()
    let mediaType = members.required("mediaType")?
      .choice(of: MediaType.self, later: ["text", "subtitle", "metadata"])
    let segments = members.required("segments")?.array()?.map(TrackSegment.init(reading:))
    let transform = members.optional("preferredTransform").flatMap(AffineTransform.init(reading:))
    self.init(
      id: id ?? 0, mediaType: mediaType ?? .video, segments: segments ?? [],
      preferredTransform: transform)
  }
}

extension TrackSegment {
  fileprivate init(reading node: JSONNode) {
    let nothing = TimeRange.nothing
    self.init(asset: "", trackIndex: 0, source: nothing, target: nothing)
    guard
      let members = node.object(
        ["asset", "trackIndex", "source", "target"], later: ["reverse", "freeze"])
    else { return }
    let asset = members.required("asset")?.string()
    let trackIndex = members.optional("trackIndex").map { $0.integer() } ?? 0
    let source = members.required("source")?.timeRange()
    let target = members.required("target")?.timeRange()
    self.init(
      asset: asset ?? "", trackIndex: trackIndex ?? 0, source: source ?? nothing,
      target: target ?? nothing)
  }
}

extension AudioMix {
  /// Reads `{"inputParameters": […]}`.
  init?(reading node: JSONNode) {
    guard
      let parameters = node.object(["inputParameters"])?.required("inputParameters")?.array()
    else { return nil }
    self.init(inputParameters: parameters.map(AudioMixInputParameters.init(reading:)))
  }
}

extension AudioMixInputParameters {
  fileprivate init(reading node: JSONNode) {
    self.init(track: 0)
    guard
      let members = node.object(
        ["track", "volume", "audioTimePitchAlgorithm", "duck"], later: ["pan", "effects"])
    else { return }
    let track = members.required("track")?.integer()
    let volume = members.optional("volume").map { Ramps(reading: $0) { $0.number() } } ?? Ramps()
    let algorithm = members.optional("audioTimePitchAlgorithm")?
      .choice(
        of: AudioTimePitchAlgorithm.self, later: ["timeDomain", "lowQualityZeroLatency"])
    let duck = members.optional("duck").flatMap { Ducking.reading($0, naming: true) } ?? nil
    self.init(
      track: track ?? 0, volume: volume ?? Ramps(), audioTimePitchAlgorithm: algorithm, duck: duck)
  }
}
