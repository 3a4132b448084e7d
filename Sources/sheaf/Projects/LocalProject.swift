import Crypto
import FarmAPI
import Foundation
import Media
import Planning
import Threads
import Timeline
import Typesetting

/// A project whose files are on this machine, read, probed and found valid.
package struct LocalProject: Sendable {
  /// The project as it is submitted.
  package var file: ProjectFile
  /// The media indexes by asset name.
  package var indexes: [String: MediaIndex]
  /// The animation's layers as the pictures that they become here; `nil` where this machine lacks a font.
  package var rasters: [LayerRaster]?
  /// The project in its composition form.
  package var project: Project

  /// Reads, probes and checks a project file.
  ///
  /// - Parameter roots: the directories under which its files may lie; anywhere where there are none.
  /// - Throws: ``CommandFailure`` with every finding, or where it names a URL: only a coordinator fetches.
  package static func read(_ file: String, roots: [String] = []) async throws -> LocalProject {
    try await BlockingThread.runUntilCancelled(named: "project") {
      try CommandFailure.reporting {
        let file = try ProjectFile(at: file)
        guard let (name, url) = file.remoteAssets.first else {
          return try check(file, roots: roots)
        }
        _ = try examine(file, roots: roots)
        throw CommandFailure(
          .failed, "cannot look into \(url.shown)", on: file.document.path(ofAsset: name),
          remedy: "only a coordinator fetches: use sheaf render or sheaf submit, or name a file")
      }
    }
  }

  /// Probes and checks a project whose assets are files.
  ///
  /// - Parameter mayLackFonts: whether a font that this machine lacks is no finding, as the project is planned elsewhere.
  /// - Throws: `ProjectError` with every finding.
  static func check(
    _ file: ProjectFile, roots: [String], mayLackFonts: Bool = false
  ) throws -> LocalProject {
    let found = try examine(file, roots: roots, mayLackFonts: mayLackFonts)
    let project = try found.project ?? file.document.project(indexes: found.indexes)
    // What shows as frames are laid out is refused here. The plan is not kept: it lacks the assets' content.
    let stand = file.files.mapValues { Digest.of(Array($0.utf8)) }
    if let rasters = found.rasters {
      let plan = try Planner.plan(
        project, indexes: found.indexes, digests: stand, rasters: rasters)
      if plan.export.isPassthrough, let question = EncoderCheck(of: plan) {
        let findings = answer(question)
        guard findings.isEmpty else { throw ProjectError(findings: findings) }
      }
    }
    return LocalProject(
      file: file, indexes: found.indexes, rasters: found.rasters, project: project)
  }

  /// Finds all that is wrong with a project before its frames are laid out, but for what its assets at URLs hold.
  ///
  /// - Returns: the project in its composition form, where its assets are files; the media indexes by asset name; and the
  ///   animation's layers as pictures, `nil` where a font is missing and may be.
  /// - Throws: `ProjectError` with every finding.
  static func examine(
    _ file: ProjectFile, roots: [String], mayLackFonts: Bool = false
  ) throws -> (project: Project?, indexes: [String: MediaIndex], rasters: [LayerRaster]?) {
    let document = file.document
    let media = document.media
    let refused = file.outside(roots)
    let (indexes, unreadable) = probe(
      file.files.filter { media[$0.key] != nil && refused[$0.key] == nil })
    var check = ProjectCheck(
      document, misread: file.misread, unread: file.unread, indexes: indexes,
      unreadable: unreadable.merging(refused) { _, refusal in refusal },
      unseen: Set(refused.keys).union(document.assets.keys.filter { file.files[$0] == nil }))
    if let question = check.encoder { check.add(answer(question)) }
    var made: [LayerRaster]?
    do {
      made = try rasters(of: check.rasters, files: file.files, document)
    } catch let error as ProjectError {
      check.add(
        error.findings.filter { !mayLackFonts || !$0.path.hasSuffix(".font.family") })
    }
    guard check.findings.isEmpty else { throw ProjectError(findings: check.findings) }
    return (check.project, indexes, made)
  }

  private static func answer(_ question: EncoderCheck) -> [Finding] {
    VideoEncoder.findings(
      question.video, size: question.size, frameDuration: question.frameDuration)
  }

  /// The plan that a coordinator would make, with the true digests of the files.
  package func plan() async throws -> Plan {
    let assets = try await HashedAsset.hash(file.files, refersToPath: false)
    let digests = assets.mapValues(\.reference.digest)
    let (project, indexes, rasters) = (project, indexes, rasters ?? [])
    return try await BlockingThread.runUntilCancelled(named: "plan") {
      try CommandFailure.reporting {
        try Planner.plan(project, indexes: indexes, digests: digests, rasters: rasters)
      }
    }
  }

  /// What the animation's layers become.
  ///
  /// - Throws: `ProjectError` with everything that keeps them from it.
  private static func rasters(
    of requests: [RasterRequest], files: [String: String], _ document: ProjectDocument
  ) throws -> [LayerRaster] {
    guard !requests.isEmpty else { return [] }
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("sheaf-layers-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    return try LayerTypesetter(files: files, directory: directory, root: document.animationPath)
      .rasters(for: requests)
  }

  /// The index of every file that can be read as media, and why the others cannot.
  private static func probe(_ paths: [String: String]) -> (
    indexes: [String: MediaIndex], unreadable: [String: String]
  ) {
    var indexes: [String: MediaIndex] = [:]
    var unreadable: [String: String] = [:]
    for (name, path) in paths {
      do {
        indexes[name] = try MediaProber.index(of: FileByteSource(path: path), named: path)
      } catch {
        unreadable[name] = "\(error)"
      }
    }
    return (indexes, unreadable)
  }
}
