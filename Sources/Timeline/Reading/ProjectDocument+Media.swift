/// A document together with the media that it names.
extension ProjectDocument {
  /// The files with pictures in time or sound: all but those that only layers of an animation show.
  public var media: [String: Asset] {
    let shown: Set<String>
    let played: Set<String>
    switch self {
    case .composition(let project):
      shown = project.videoComposition?.animation?.assets ?? []
      let layers = (project.videoComposition?.instructions ?? []).flatMap(\.layers)
      played = Set(project.composition.tracks.flatMap(\.segments).map(\.asset))
        .union(
          layers.compactMap { if case .map(let asset) = $0.mask?.shape { asset } else { nil } })
    case .sequence(let sequence):
      shown = sequence.animation?.assets ?? []
      var plain = sequence
      plain.animation = nil
      played = Set(plain.assets.keys)
    }
    return assets.filter { played.contains($0.key) || !shown.contains($0.key) }
  }

  /// The path at which the document first names an asset's file, for messages.
  public func path(ofAsset name: String) -> String {
    guard case .sequence(let sequence) = self else {
      return "assets.\(name).\(assets[name]?.url == nil ? "path" : "url")"
    }
    for (number, item) in sequence.items.enumerated() {
      switch item {
      case .clip(let clip) where clip.path == name: return "sequence[\(number)].clip"
      case .transition(let transition) where transition.map == name:
        return "sequence[\(number)].map"
      default: continue
      }
    }
    if let number = sequence.music.firstIndex(where: { $0.path == name }) {
      return "music[\(number)].clip"
    }
    let layer = animation?.allLayers.first { $0.layer.content == .image(asset: name) }
    return layer.map { "\(path(of: $0.path)).asset" } ?? animationPath
  }

  /// The path of a layer in the document.
  package func path(of layer: LayerPath) -> String {
    written(Finding(path: "\(layer)", problem: "", remedy: "")).path
  }

  /// Everything that is wrong with what the document says and with the media at hand.
  ///
  /// - Parameters:
  ///   - indexes: the media indexes by asset name.
  ///   - unreadable: why an asset has no index, by its name.
  ///   - unseen: assets that nobody has looked at, of which nothing is said.
  ///   - unread: values of the document that stand for others.
  /// - Returns: the project in its composition form, unless what is wrong keeps a sequence from being expanded; and the
  ///   findings, of which each file that cannot be read has one, where it is first named.
  public func checked(
    indexes: [String: MediaIndex], unreadable: [String: String], unseen: Set<String> = [],
    unread: UnreadValues = .none
  ) -> (project: Project?, findings: [Finding]) {
    let refused = unreadable.sorted { $0.key < $1.key }.map { name, reason in
      Finding(path: path(ofAsset: name), problem: reason, remedy: "name a file that can be read")
    }
    let known = Set(unseen.union(unreadable.keys).map(Finding.notReadProblem))
    let project: Project?
    var findings: [Finding]
    switch self {
    case .composition(let written):
      project = written
      findings = written.findings(indexes: indexes)
    case .sequence(let sequence):
      let origins: SegmentOrigins
      (project, origins, findings) = sequence.expansion(
        indexes: indexes, isWhole: !unread.touch("sequence") && !unread.touch("music"))
      if let project {
        let expanded = origins.written(
          project.findings(indexes: indexes), of: project.composition)
        findings.add(expanded.map(written))
      }
    }
    let told = refused + findings.filter { !known.contains($0.problem) }
    return (project, unread.certain(of: told))
  }

  /// A finding about the document's composition form, where the document itself has what it is about.
  package func written(_ finding: Finding) -> Finding {
    guard case .sequence = self else { return finding }
    let written = [
      "animation": animationPath, "renderSize": "renderSize", "frameDuration": "frameRate",
    ]
    for (key, path) in written {
      let expanded = "videoComposition.\(key)"
      guard finding.path.hasPrefix(expanded) else { continue }
      var finding = finding
      finding.path = path + finding.path.dropFirst(expanded.count)
      return finding
    }
    return finding
  }
}
