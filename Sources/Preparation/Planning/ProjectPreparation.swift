import Crypto
import Planning
import ProjectFormat
import Timeline

/// The way from a project to its plan: its media is probed, it is checked, the encoder is asked, the layers are drawn,
/// the segments are laid out, and the encoder is asked about copied streams.
///
/// The preset `automatic` is decided with the check. If the encoder rejects the format that it would continue, the
/// project is checked again as one that encodes every frame.
///
/// Problems that do not depend on each other are reported together.
package struct ProjectPreparation<Media: ProjectMedia>: Sendable {
  private let document: ProjectDocument
  private let misread: [Finding]
  private let unread: UnreadValues
  private let mayLackFonts: Bool
  private let media: Media

  /// Prepares a document.
  ///
  /// - Parameters:
  ///   - misread: the findings from reading the document.
  ///   - unread: the values that could not be read.
  ///   - mayLackFonts: whether to ignore fonts that this host lacks, because the project is planned elsewhere.
  package init(
    _ document: ProjectDocument, misread: [Finding] = [], unread: UnreadValues = .none,
    mayLackFonts: Bool = false, media: Media
  ) {
    self.document = document
    self.misread = misread
    self.unread = unread
    self.mayLackFonts = mayLackFonts
    self.media = media
  }

  /// Finds every problem that shows before the segments are laid out.
  ///
  /// - Throws: `ProjectError` with every finding, or an error of the media.
  package func examine() async throws -> ExaminedProject {
    let found = try await media.indexes(for: document)
    var check = try await media.compute("check") { [document, misread, unread] in
      ProjectCheck(
        document, misread: misread, unread: unread, indexes: found.indexes,
        unreadable: found.unreadable, unseen: found.unseen)
    }
    if let question = check.encoder {
      media.note("export.video")
      let wrong = try await media.findings(question)
      if !wrong.isEmpty, check.document.export.continued != nil {
        let document = check.document.choosing(.encoded(because: .encoder))
        check = try await media.compute("check") {
          ProjectCheck(document, indexes: found.indexes, unreadable: [:])
        }
      } else {
        check.add(wrong)
      }
    }
    var rasters: [LayerRaster]?
    do {
      rasters =
        check.rasters.isEmpty
        ? [] : try await media.rasters(of: check.rasters, root: document.animationPath)
    } catch let error as ProjectError {
      check.add(
        error.findings.filter { !mayLackFonts || !$0.path.ends(in: "font.family") }
          .map(document.titled))
    }
    media.note("the project")
    guard check.findings.isEmpty else { throw ProjectError(findings: check.findings) }
    let warnings =
      if let project = check.project, let rasters {
        Planner.hiddenLayers(of: project, rasters: rasters).map(document.written).distinct
      } else {
        [Finding]()
      }
    return ExaminedProject(
      document: check.document, expanded: check.project, indexes: found.indexes, rasters: rasters,
      warnings: check.warnings + warnings)
  }

  /// Plans a project without problems, and checks whether the encoder can continue copied streams.
  ///
  /// - Parameters:
  ///   - digests: the SHA-256 of each asset, by its name.
  ///   - recordings: the recordings that the project follows, by asset name.
  /// - Throws: `ProjectError` with all findings.
  package func plan(
    _ project: ExaminedProject, digests: [String: Digest],
    following recordings: [String: ExcerptedRecording] = [:]
  ) async throws -> Plan {
    let plan = try await layOut(project, digests: digests, following: recordings)
    if plan.export.isPassthrough, let question = EncoderCheck(of: plan) {
      let findings = try await media.findings(question)
      guard findings.isEmpty else { throw ProjectError(findings: findings) }
    }
    return plan
  }

  /// Lays out the segments of a project that has been planned before with other digests.
  package func layOut(
    _ project: ExaminedProject, digests: [String: Digest],
    following recordings: [String: ExcerptedRecording] = [:]
  ) async throws -> Plan {
    try await media.compute("plan") {
      try Planner.plan(
        project.composition(), indexes: project.indexes, digests: digests,
        rasters: project.rasters ?? [], recordings: recordings)
    }
  }
}

/// A project that was probed and checked, without findings.
package struct ExaminedProject: Sendable {
  fileprivate let document: ProjectDocument
  fileprivate let expanded: Project?
  /// The media indexes by asset name.
  package let indexes: [String: MediaIndex]
  /// The animation's layers as pictures; `nil` if this host lacks a font.
  package let rasters: [LayerRaster]?
  /// Probable mistakes, which do not prevent the project from being rendered.
  package let warnings: [Finding]

  /// The project in its composition form.
  package func composition() throws -> Project {
    try expanded ?? document.project(indexes: indexes)
  }
}

extension [Finding] {
  /// The findings without repetitions, which several layers of one title cause.
  fileprivate var distinct: [Finding] {
    var seen: Set<Finding> = []
    return filter { seen.insert($0).inserted }
  }
}
