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
  /// - Parameter mayLackFonts: whether a font that this machine lacks is no finding, as the project is planned elsewhere.
  /// - Throws: ``CommandFailure`` with every finding.
  package static func read(
    _ file: String, mayLackFonts: Bool = false
  ) async throws -> LocalProject {
    let url = URL(fileURLWithPath: file)
    let bytes = try await BlockingThread.runUntilCancelled(named: "project") {
      try contents(of: file)
    }
    return try await check(
      bytes, name: url.deletingPathExtension().lastPathComponent,
      directory: url.deletingLastPathComponent().path, mayLackFonts: mayLackFonts)
  }

  /// Probes and checks a project document whose paths are relative to `directory`.
  ///
  /// - Throws: ``CommandFailure`` with every finding.
  package static func check(
    _ bytes: [UInt8], name: String, directory: String, mayLackFonts: Bool = false
  ) async throws -> LocalProject {
    try await BlockingThread.runUntilCancelled(named: "project") {
      do {
        let document = try ProjectDocument.parse(bytes)
        let base = URL(fileURLWithPath: directory, isDirectory: true)
        let absolute = document.assets.mapValues {
          URL(fileURLWithPath: $0.path, relativeTo: base).standardizedFileURL.path
        }
        let media = document.media
        let indexes = try probe(absolute.filter { media[$0.key] != nil })
        let project = try document.project(indexes: indexes)
        let rasters = try rasters(
          of: project, indexes: indexes, files: absolute, document, mayLackFonts)
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
    of project: Project, indexes: [String: MediaIndex], files: [String: String],
    _ document: ProjectDocument, _ mayLackFonts: Bool
  ) throws -> [LayerRaster]? {
    let requests = try Planner.rasterRequests(for: project, indexes: indexes)
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

  /// The index of every file that can be read as media.
  ///
  /// - Throws: ``CommandFailure`` with a finding for each file that cannot.
  private static func probe(_ paths: [String: String]) throws -> [String: MediaIndex] {
    var indexes: [String: MediaIndex] = [:]
    var findings: [String] = []
    for (name, path) in paths.sorted(by: { $0.key < $1.key }) {
      do {
        indexes[name] = try MediaProber.index(of: FileByteSource(path: path), named: path)
      } catch let error as MediaError {
        findings.append(error.message)
      }
    }
    guard findings.isEmpty else { throw CommandFailure.invalidProject(findings) }
    return indexes
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
