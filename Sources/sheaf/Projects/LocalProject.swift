import Crypto
import FarmAPI
import Foundation
import Planning
import ProjectFormat
import Threads
import Timeline

/// A project whose files are on this machine, read, probed and found valid.
package struct LocalProject: Sendable {
  /// The project as it is submitted.
  package var file: ProjectFile
  /// The media indexes by asset name.
  package var indexes: [String: MediaIndex]
  /// The animation's layers, drawn as pictures; `nil` if this machine lacks a font.
  package var rasters: [LayerRaster]?
  /// The project in its composition form.
  package var project: Project

  /// Reads, probes and checks a project file.
  ///
  /// - Parameter roots: the directories that may contain its files. If empty, files may be anywhere.
  /// - Throws: ``CommandFailure`` with every finding, or if it names a URL, because only a coordinator fetches URLs.
  package static func read(_ file: String, roots: [String] = []) async throws -> LocalProject {
    try await CommandFailure.reporting {
      let file = try await ProjectFile.load(file)
      guard let (name, url) = file.remoteAssets.first else {
        return try await check(file, roots: roots)
      }
      _ = try await examine(file, roots: roots)
      throw CommandFailure(
        .failed, "cannot read \(url.shown)", on: "\(file.document.path(ofAsset: name))",
        remedy: "only a coordinator fetches URLs: use `sheaf render` or `sheaf submit`, or name a"
          + " file")
    }
  }

  /// Probes and checks a project whose assets are files.
  ///
  /// - Parameter mayLackFonts: whether to ignore fonts that this machine lacks, because the project is planned
  ///   elsewhere.
  /// - Throws: `ProjectError` with every finding.
  static func check(
    _ file: ProjectFile, roots: [String], mayLackFonts: Bool = false
  ) async throws -> LocalProject {
    let found = try await examine(file, roots: roots, mayLackFonts: mayLackFonts)
    let project = try found.project ?? file.document.project(indexes: found.indexes)
    let local = LocalProject(
      file: file, indexes: found.indexes, rasters: found.rasters, project: project)
    // Some problems surface only during planning, so they are reported here. The plan itself is not kept, because it
    // lacks the assets' content.
    if found.rasters != nil {
      let stand = file.files.mapValues { Digest.of(Array($0.utf8)) }
      let plan = try await local.plan(digests: stand)
      if plan.export.isPassthrough, let question = EncoderCheck(of: plan) {
        let findings = try await LocalMedia().findings(question)
        guard findings.isEmpty else { throw ProjectError(findings: findings) }
      }
    }
    return local
  }

  /// Finds every problem that shows before planning, except in the content of assets at URLs.
  ///
  /// - Returns: the project in its composition form if all its assets are files, the media indexes by asset name, and
  ///   the animation's layers as pictures, `nil` if a font is missing and `mayLackFonts` is set.
  /// - Throws: `ProjectError` with every finding.
  static func examine(
    _ file: ProjectFile, roots: [String], mayLackFonts: Bool = false
  ) async throws -> (project: Project?, indexes: [String: MediaIndex], rasters: [LayerRaster]?) {
    let tools = LocalMedia(files: Array(file.files.values))
    let document = file.document
    let media = document.media
    let refused = file.outside(roots)
    let (indexes, unreadable) = try await tools.indexes(
      of: file.files.filter { media[$0.key] != nil && refused[$0.key] == nil })
    var check = try await BlockingThread.runUntilCancelled(named: "check") {
      ProjectCheck(
        document, misread: file.misread, unread: file.unread, indexes: indexes,
        unreadable: unreadable.merging(refused) { _, refusal in refusal },
        unseen: Set(refused.keys).union(document.assets.keys.filter { file.files[$0] == nil }))
    }
    if let question = check.encoder { check.add(try await tools.findings(question)) }
    var made: [LayerRaster]?
    do {
      made = try await tools.rasters(
        of: check.rasters, files: file.files, root: document.animationPath)
    } catch let error as ProjectError {
      check.add(
        error.findings.filter { !mayLackFonts || !$0.path.ends(in: "font.family") })
    }
    guard check.findings.isEmpty else { throw ProjectError(findings: check.findings) }
    return (check.project, indexes, made)
  }

  /// The plan that a coordinator would make, with the files' actual digests.
  package func plan() async throws -> Plan {
    let assets = try await HashedAsset.hash(file.files, refersToPath: false)
    return try await CommandFailure.reporting {
      try await plan(digests: assets.mapValues(\.reference.digest))
    }
  }

  private func plan(digests: [String: Digest]) async throws -> Plan {
    let (project, indexes, rasters) = (project, indexes, rasters ?? [])
    return try await BlockingThread.runUntilCancelled(named: "plan") {
      try Planner.plan(project, indexes: indexes, digests: digests, rasters: rasters)
    }
  }
}
