import ProjectFormat
import Timeline

/// The problems of a project that are found before planning, and the checks that remain.
///
/// Independent problems are reported together, so that they can be corrected together.
public struct ProjectCheck: Sendable {
  /// The document, with the decision of the preset `automatic` if there are no findings.
  public let document: ProjectDocument
  /// The project in its composition form; `nil` if its sequence cannot be expanded.
  public let project: Project?
  /// The problems that the text and the media indexes show.
  public private(set) var findings: [Finding]
  /// The check that only the encoder can make, if one is needed.
  public let encoder: EncoderCheck?
  /// The pictures of the animation's layers; drawing them may find further problems.
  public let rasters: [RasterRequest]
  /// Probable mistakes, which do not prevent the project from being rendered.
  public let warnings: [Finding]
  private let unread: UnreadValues

  /// Checks a document.
  ///
  /// - Parameters:
  ///   - misread: the findings from reading the document.
  ///   - unread: the values that could not be read.
  ///   - indexes: the media indexes by asset name.
  ///   - unreadable: why an asset has no index, by its name.
  ///   - unseen: assets that are not checked. No findings are reported for them unless they are unreadable.
  public init(
    _ document: ProjectDocument, misread: [Finding] = [], unread: UnreadValues = .none,
    indexes: [String: MediaIndex], unreadable: [String: String], unseen: Set<String> = []
  ) {
    let isWhole = misread.isEmpty && unreadable.isEmpty && unseen.isEmpty
    let (document, continuing) =
      isWhole ? document.choosingContinuation(indexes: indexes) : (document, nil)
    self.document = document
    let (project, unfit) = document.checked(
      indexes: indexes, unreadable: unreadable, unseen: unseen, unread: unread)
    self.project = project
    self.unread = unread
    findings = misread
    findings.add(unfit)
    let decisive: [FindingPath] = [
      "videoComposition.renderSize", "videoComposition.renderScale",
      "videoComposition.frameDuration", "renderSize", "frameRate", "export.preset",
    ]
    let isOutputKnown = !decisive.contains(where: unread.touch)
    let output = isOutputKnown ? document.output(of: project, indexes: indexes) : nil
    if let project, project.exportsPictures, let output, !unread.touch("composition") {
      let range = Planner.rangeFindings(
        project.export.timeRange, duration: project.composition.duration,
        frameDuration: output.frameDuration)
      if !findings.contains(under: "export.timeRange") { findings += range }
    }
    let isSizeKnown =
      document.saysSize || !unread.touch("composition") && !unread.touch("sequence")
    if project?.exportsPictures != false, let output, isSizeKnown {
      findings.add(unread.certain(of: document.export.apertureFindings(in: output.size)))
    }
    if document.export.isPassthrough, !unread.touch("composition"), !unread.touch("sequence") {
      let asked = project?.videoComposition == nil ? nil : output?.size
      findings.add(
        PassthroughSource.findings(
          of: document, as: project, outputSize: asked, indexes: indexes
        ).map(document.written))
    }
    let isUnsaid = unread.touch("export.video.codec") || project?.exportsPictures == false
    encoder =
      isUnsaid
      ? nil
      : continuing.flatMap(EncoderCheck.init(continuing:))
        ?? EncoderCheck(
          of: document.export, size: output?.size, frameDuration: output?.frameDuration,
          beside: findings)
    warnings =
      isWhole && findings.isEmpty
      ? project.map { Planner.uncopied($0, indexes: indexes).map(document.written) } ?? [] : []
    rasters = Self.rasters(of: document, as: project, findings: &findings).filter { request in
      guard case .image(let asset) = request.content else { return true }
      return !unseen.contains(asset)
    }
  }

  /// Adds the encoder's and the typesetter's findings, except those about defaults in place of unreadable values.
  public mutating func add(_ more: [Finding]) {
    findings.add(unread.certain(of: more))
  }

  /// The pictures of the layers, at their true scale if it is known.
  private static func rasters(
    of document: ProjectDocument, as project: Project?, findings: inout [Finding]
  ) -> [RasterRequest] {
    let isKnown =
      !findings.contains(under: "composition") && !findings.contains(under: "videoComposition")
      && !findings.contains(under: "animation")
    if let project, isKnown {
      do throws(ProjectError) {
        return try Planner.rasterRequests(for: project)
      } catch {
        findings.add(error.findings.map(document.written))
      }
    }
    return Planner.rasterRequests(checking: document, beside: findings)
  }
}

extension ProjectDocument {
  /// Whether the document sets the output's size, which otherwise depends on the clips.
  fileprivate var saysSize: Bool {
    guard case .composition(let project) = self else { return false }
    return project.videoComposition != nil
  }
}

extension [Finding] {
  /// Whether there is a finding for a value or for a part of it.
  func contains(under path: FindingPath) -> Bool { contains { $0.path.isWithin(path) } }
}
