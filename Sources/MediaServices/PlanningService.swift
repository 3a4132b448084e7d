import Confinement
import Foundation
import Media
import Planning
import Preparation
import Processes
import ProjectFormat
import Threads
import Timeline
import Typesetting

/// The service `media plan`, which checks a project with its media, draws its layers, lays out its segments and writes
/// the draft of a plan.
struct PlanningService: ChildService {
  func sandbox(for first: PlanningRequest) -> Sandbox {
    Sandbox(
      limits: ResourceLimits(first.limits),
      readable: [first.project]
        + first.sources.flatMap { source in
          (source.index.map { [$0] } ?? []) + (source.image?.paths ?? [])
        }
        + FontFiles.all,
      writable: [first.directory])
  }

  func handle(_ request: PlanningRequest) throws -> ChildAnswer {
    let planning = ProjectPlanning(
      check: { question in
        VideoEncoder.findings(
          question.video, size: question.size, frameDuration: question.frameDuration)
      },
      typeset: { try Self.typeset($0) }, note: { Self.note($0) })
    // On this thread: other threads would add to the memory of the process, which is limited.
    return .drafted(try CallingThread.run { try await planning.plan(request) })
  }

  /// Draws the pictures one by one and announces each, so that the layer can be named if a limit is reached.
  private static func typeset(_ request: TypesetRequest) throws -> [LayerRaster] {
    let typesetter = LayerTypesetter(directory: request.directory, root: request.root) { asset in
      try request.files[asset]?.open(named: asset)
    }
    var rasters: [LayerRaster] = []
    var findings: [Finding] = []
    for raster in request.rasters {
      note("\(raster.path.place(in: request.root))")
      do {
        rasters += try typesetter.rasters(for: [raster])
      } catch let error as ProjectError {
        findings += error.findings
      }
    }
    guard findings.isEmpty else { throw ProjectError(findings: findings) }
    return rasters
  }

  /// Writes the current subject to standard error. If a limit ends this process, it is the last line there.
  private static func note(_ subject: String) {
    let line = subject.split(separator: "\n", omittingEmptySubsequences: false).joined(
      separator: " ")
    FileHandle.standardError.write(Data("at \(line.prefix(300))\n".utf8))
  }
}
