import Timeline

/// The output format of a document that may have findings.
extension ProjectDocument {
  /// The output's size in pixels and its frame duration in seconds; `nil` if problems in the project prevent
  /// determining them.
  ///
  /// - Parameters:
  ///   - project: The document in its composition form, if it could be expanded.
  ///   - indexes: The media indexes by asset name.
  package func output(of project: Project?, indexes: [String: MediaIndex]) -> (
    size: PixelSize, frameDuration: RationalTime
  )? {
    let indexes = export.indexes(indexes)
    if let videoComposition = project?.videoComposition {
      let fitted = videoComposition.fitted(into: export.effectivePreset)
      guard fitted.renderSize.findings(at: "").isEmpty, fitted.renderScaleFindings().isEmpty,
        fitted.frameDurationFindings().isEmpty
      else { return nil }
      return (fitted.outputSize, fitted.frameDuration)
    }
    let format: OutputFormat?
    switch self {
    case .composition(let project):
      format = VideoComposition.shown(by: project, indexes: indexes).map { shown in
        OutputFormat(
          streams: shown.map(\.media), naturalSize: project.composition.naturalSize,
          asked: export.format(), preset: export.effectivePreset)
      }
    case .sequence(let sequence):
      guard sequence.formatFindings().isEmpty else { return nil }
      format = sequence.shown(indexes: indexes).map {
        OutputFormat(
          streams: $0, asked: export.format(asked: sequence.askedFormat),
          preset: export.effectivePreset)
      }
    }
    return format.map { ($0.renderSize, $0.frameDuration) }
  }
}

extension ClipSequence {
  /// The video of the clips in order; `nil` if some of it is unknown.
  fileprivate func shown(indexes: [String: MediaIndex]) -> [OutputFormat.Shown]? {
    var shown: [OutputFormat.Shown] = []
    for case .clip(let clip) in items {
      guard let index = indexes[clip.path], let stream = index.video.first else { return nil }
      shown.append(
        OutputFormat.Shown(
          stream: stream, isStillImage: index.isStillImage, picture: UprightPicture(stream)))
    }
    return shown
  }
}
