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
        if let (name, url) = file.remoteAssets.first {
          throw CommandFailure(
            .failed, "cannot look into \(url.shown)", on: file.document.path(ofAsset: name),
            remedy: "only a coordinator fetches: use sheaf render or sheaf submit, or name a file")
        }
        return try check(file, roots: roots)
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
    let (document, absolute) = (file.document, file.files)
    let media = document.media
    let refused = file.outside(roots)
    let (indexes, unreadable) = probe(
      absolute.filter { media[$0.key] != nil && refused[$0.key] == nil })
    let (checked, unfit) = document.checked(
      indexes: indexes, unreadable: unreadable.merging(refused) { _, refusal in refusal })
    let findings = file.misread + unfit
    guard let project = checked, findings.isEmpty else {
      throw ProjectError(
        findings: findings
          + (try layerFindings(of: document, beside: findings, files: absolute, mayLackFonts)))
    }
    let rasters = try rasters(
      of: Planner.rasterRequests(for: project, indexes: indexes), files: absolute, document,
      mayLackFonts)
    // What the planner refuses is refused here. Its plan is not kept: it lacks the assets' content.
    let stand = absolute.mapValues { Digest.of(Array($0.utf8)) }
    if let rasters {
      let plan = try Planner.plan(
        project, indexes: indexes, digests: stand, rasters: rasters)
      if !plan.segments.isEmpty, plan.export.video.needsEncoderCheck {
        let findings = VideoEncoder.findings(
          plan.export.video, size: plan.renderSize, frameDuration: plan.frameDuration)
        guard findings.isEmpty else { throw ProjectError(findings: findings) }
      }
    }
    return LocalProject(
      file: file, indexes: indexes, rasters: rasters, project: project)
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
  /// - Returns: `nil` where a font is missing and may be.
  /// - Throws: `ProjectError` with everything else that keeps them from it.
  private static func rasters(
    of requests: [RasterRequest], files: [String: String], _ document: ProjectDocument,
    _ mayLackFonts: Bool
  ) throws -> [LayerRaster]? {
    guard !requests.isEmpty else { return [] }
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("sheaf-layers-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let typesetter = LayerTypesetter(
      files: files, directory: directory, root: document.animationPath)
    do {
      return try typesetter.rasters(for: requests)
    } catch let error as ProjectError
      where mayLackFonts && error.findings.allSatisfy({ $0.path.hasSuffix(".font.family") })
    {
      return nil
    }
  }

  /// What keeps the layers of a project with other findings from becoming pictures; layers with findings of their own
  /// are left alone.
  private static func layerFindings(
    of document: ProjectDocument, beside findings: [Finding], files: [String: String],
    _ mayLackFonts: Bool
  ) throws -> [Finding] {
    do {
      _ = try rasters(
        of: Planner.rasterRequests(checking: document, beside: findings), files: files, document,
        mayLackFonts)
      return []
    } catch let error as ProjectError {
      return error.findings
    }
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
