import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Processes
import ProjectFormat
import Threads
import Timeline

/// A project whose files are on this machine, read, probed and found valid.
package struct LocalProject: Sendable {
  /// The project as it is submitted.
  package var file: ProjectFile
  /// The project in its composition form.
  package var project: Project
  /// Probable mistakes, which do not prevent the project from being rendered.
  package var warnings: [Finding] { examined.warnings }
  private let examined: ExaminedProject
  private let preparation: ProjectPreparation<LocalMedia>
  /// The plan with the digests of the files' paths in place of their contents' digests; `nil` if this machine lacks a
  /// font.
  let provisionalPlan: Plan?

  /// Reads, probes and checks a project file.
  ///
  /// - Parameters:
  ///   - roots: the directories that may contain its files. If empty, files may be anywhere.
  ///   - layers: the folder in which the pictures of its layers stay; `nil` if they are not needed.
  /// - Throws: ``CommandFailure`` with every finding, or if it names a URL, because only a coordinator fetches URLs.
  package static func read(
    _ file: String, roots: [String] = [], keepingLayersIn layers: TemporaryFolder? = nil
  ) async throws -> LocalProject {
    try await CommandFailure.reporting {
      let file = try await ProjectFile.load(file)
      guard let (name, url) = file.remoteAssets.first else {
        return try await check(file, roots: roots, keepingLayersIn: layers)
      }
      try await examine(file, roots: roots)
      throw CommandFailure(
        .failed, "cannot read \(url.shown)", on: "\(file.document.path(ofAsset: name))",
        remedy: "only a coordinator fetches URLs: use `sheaf render` or `sheaf submit`, or name a"
          + " file")
    }
  }

  /// Probes and checks a project whose assets are files.
  ///
  /// - Parameters:
  ///   - mayLackFonts: whether to ignore fonts that this machine lacks, because the project is planned elsewhere.
  ///   - layers: the folder in which the pictures of its layers stay; `nil` if they are not needed.
  ///   - hashed: the files whose content is known.
  /// - Throws: `ProjectError` with every finding.
  static func check(
    _ file: ProjectFile, roots: [String], mayLackFonts: Bool = false,
    keepingLayersIn layers: TemporaryFolder? = nil, hashed: HashedMedia = HashedMedia()
  ) async throws -> LocalProject {
    let preparation = preparation(
      of: file, roots: roots, mayLackFonts: mayLackFonts, keepingLayersIn: layers, hashed: hashed)
    let examined = try await preparation.examine()
    // Some problems surface only during planning, so they are reported here.
    let plan: Plan? =
      if examined.rasters != nil {
        try await preparation.plan(
          examined, digests: file.files.mapValues(provisionalDigest(ofFile:)))
      } else {
        nil
      }
    return LocalProject(
      file: file, project: try examined.composition(), examined: examined,
      preparation: preparation, provisionalPlan: plan)
  }

  /// The digest that stands for a file's content in ``provisionalPlan``.
  static func provisionalDigest(ofFile path: String) -> Digest { Digest.of(Array(path.utf8)) }

  /// Finds every problem that shows before planning, except in the content of assets at URLs.
  ///
  /// - Throws: `ProjectError` with every finding.
  static func examine(
    _ file: ProjectFile, roots: [String], mayLackFonts: Bool = false
  ) async throws {
    _ = try await preparation(of: file, roots: roots, mayLackFonts: mayLackFonts).examine()
  }

  private static func preparation(
    of file: ProjectFile, roots: [String], mayLackFonts: Bool,
    keepingLayersIn layers: TemporaryFolder? = nil, hashed: HashedMedia = HashedMedia()
  ) -> ProjectPreparation<LocalMedia> {
    ProjectPreparation(
      file.document, misread: file.misread, unread: file.unread, mayLackFonts: mayLackFonts,
      media: LocalMedia(
        file.files, refusing: file.outside(roots), keepingLayersIn: layers, hashed: hashed))
  }

  /// The plan that a coordinator would make, with the files' actual digests.
  package func plan() async throws -> Plan {
    let assets = try await HashedAsset.hash(file.files, refersToPath: false)
    return try await CommandFailure.reporting {
      try await preparation.layOut(examined, digests: assets.mapValues(\.reference.digest))
    }
  }
}
