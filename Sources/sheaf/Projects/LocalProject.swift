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
  /// A name for people.
  package var name: String
  /// The document as it is submitted.
  package var text: String
  /// The absolute paths of the files, by the paths that the document uses.
  package var paths: [String: String]
  /// The media indexes by asset name.
  package var indexes: [String: MediaIndex]
  /// The animation's layers as the pictures that they become here; `nil` where this machine lacks a font.
  package var rasters: [LayerRaster]?
  /// The project in its composition form.
  package var project: Project

  /// Reads, probes and checks a project file.
  ///
  /// - Parameters:
  ///   - roots: the directories under which its files may lie; anywhere where there are none.
  ///   - mayLackFonts: whether a font that this machine lacks is no finding, as the project is planned elsewhere.
  /// - Throws: ``CommandFailure`` with every finding.
  package static func read(
    _ file: String, roots: [String] = [], mayLackFonts: Bool = false
  ) async throws -> LocalProject {
    let url = URL(fileURLWithPath: file)
    let bytes = try await BlockingThread.runUntilCancelled(named: "project") {
      try contents(of: file)
    }
    return try await check(
      bytes, name: url.deletingPathExtension().lastPathComponent,
      directory: url.deletingLastPathComponent().path, roots: roots, mayLackFonts: mayLackFonts)
  }

  /// Probes and checks a project document whose paths are relative to `directory`.
  ///
  /// - Throws: ``CommandFailure`` with every finding.
  package static func check(
    _ bytes: [UInt8], name: String, directory: String, roots: [String] = [],
    mayLackFonts: Bool = false
  ) async throws -> LocalProject {
    try await BlockingThread.runUntilCancelled(named: "project") {
      do {
        let (document, misread) = try ProjectDocument.read(bytes)
        let base = URL(fileURLWithPath: directory, isDirectory: true)
        let absolute = document.assets.mapValues {
          URL(fileURLWithPath: $0.path, relativeTo: base).standardizedFileURL.path
        }
        let media = document.media
        let refused = outside(roots, absolute)
        let (indexes, unreadable) = probe(
          absolute.filter { media[$0.key] != nil && refused[$0.key] == nil })
        let (checked, unfit) = document.checked(
          indexes: indexes, unreadable: unreadable.merging(refused) { _, refusal in refusal })
        let findings = misread + unfit
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
        let paths = document.assets.map { name, asset in (asset.path, absolute[name] ?? asset.path)
        }
        return LocalProject(
          name: name, text: String(decoding: bytes, as: UTF8.self),
          paths: Dictionary(paths) { first, _ in first }, indexes: indexes, rasters: rasters,
          project: project)
      } catch let error as ProjectError {
        throw CommandFailure.invalidProject(error.lines)
      }
    }
  }

  /// The plan that a coordinator would make, with the true digests of the files.
  package func plan() async throws -> Plan {
    let assets = try await HashedAsset.hash(paths, refersToPath: false)
    let digests = project.assets.compactMapValues { assets[$0.path]?.reference.digest }
    let (project, indexes, rasters) = (project, indexes, rasters ?? [])
    return try await BlockingThread.runUntilCancelled(named: "plan") {
      do {
        return try Planner.plan(project, indexes: indexes, digests: digests, rasters: rasters)
      } catch let error as ProjectError {
        throw CommandFailure.invalidProject(error.lines)
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

  /// Why files are not read that lie under none of the roots once links are resolved; without roots, all are read.
  private static func outside(_ roots: [String], _ files: [String: String]) -> [String: String] {
    guard !roots.isEmpty else { return [:] }
    let allowed = roots.map { resolved($0) }.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    return files.compactMapValues { file in
      let real = resolved(file)
      guard !allowed.contains(where: real.hasPrefix) else { return nil }
      return "\(real) does not lie under \(roots.joined(separator: " or ")): allow it by --root"
    }
  }

  private static func resolved(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  private static func contents(of file: String) throws(CommandFailure) -> [UInt8] {
    var status = stat()
    guard stat(file, &status) == 0, access(file, R_OK) == 0 else {
      throw CommandFailure(
        .failed, "cannot read the project", on: file,
        remedy: "check that it exists and is readable (\(String(cString: strerror(errno))))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure(
        .failed, "cannot read the project", on: file, remedy: "name a regular file")
    }
    guard Int(status.st_size) <= ProjectDocument.byteLimit else {
      throw .invalidProject([
        "\(file): the file has \(status.st_size) bytes, and the limit is"
          + " \(ProjectDocument.byteLimit); split the project"
      ])
    }
    do {
      return Array(try Data(contentsOf: URL(fileURLWithPath: file)))
    } catch {
      throw CommandFailure(
        .failed, "cannot read the project", on: file, remedy: error.localizedDescription)
    }
  }
}
