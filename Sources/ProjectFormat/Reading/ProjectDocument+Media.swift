import Timeline

/// A document and its media.
extension ProjectDocument {
  /// The files with video or sound: all files except those that only animation layers show.
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

  /// The path in the document where an asset's file first appears, for messages.
  public func path(ofAsset name: String) -> FindingPath {
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
  package func path(of layer: LayerPath) -> FindingPath {
    layer.place(in: animationPath)
  }

  /// All problems of the document, including those that depend on its media.
  ///
  /// - Parameters:
  ///   - indexes: The media indexes by asset name.
  ///   - unreadable: The reasons why assets have no index, by asset name.
  ///   - unseen: Assets that were not examined. Their missing indexes are not reported.
  ///   - unread: The values of the document that could not be read and were replaced by placeholders.
  /// - Returns: The project in its composition form, or `nil` if problems prevent expanding a sequence; and the
  ///   findings, with one for each unreadable file, at the place where the file first appears.
  public func checked(
    indexes: [String: MediaIndex], unreadable: [String: String], unseen: Set<String> = [],
    unread: UnreadValues = .none
  ) -> (project: Project?, findings: [Finding]) {
    let refused = unreadable.sorted { $0.key < $1.key }.map { name, reason in
      Finding(
        path: path(ofAsset: name), problem: reason, remedy: "use a file that can be read",
        asset: name)
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

  /// Moves a finding about the composition form to the corresponding path in the document.
  package func written(_ finding: Finding) -> Finding {
    guard case .sequence(let sequence) = self else { return finding }
    let written: [(expanded: FindingPath, written: FindingPath)] = [
      ("videoComposition.animation", animationPath),
      ("videoComposition.renderSize", "renderSize"),
      ("videoComposition.frameDuration", "frameRate"),
    ]
    for place in written {
      guard let path = finding.path.moved(from: place.expanded, to: place.written) else { continue }
      var finding = finding
      finding.path = sequence.titled(path)
      return finding
    }
    return finding
  }

  /// Moves a finding about a layer that a title expands to, to the title.
  package func titled(_ finding: Finding) -> Finding {
    guard case .sequence(let sequence) = self else { return finding }
    var finding = finding
    finding.path = sequence.titled(finding.path)
    return finding
  }
}

extension ClipSequence {
  /// The path of the title that a layer of the animation comes from; other paths as they are.
  fileprivate func titled(_ path: FindingPath) -> FindingPath {
    let written = animation?.layers.count ?? 0
    let components = path.components
    guard components.count >= 3, path.isWithin("animation.layers"),
      case .index(let number) = components[2], titles.indices.contains(number - written)
    else { return path }
    let title: FindingPath = "titles[\(number - written)]"
    if path.ends(in: "font.family") { return "\(title).font" }
    return path.ends(in: "text") ? "\(title).text" : title
  }
}
