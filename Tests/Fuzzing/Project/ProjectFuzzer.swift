import Crypto
import Planning
import ProjectFormat
import Support
import Timeline

/// Processes a project file from a stranger up to its plan: reads, checks, expands, writes and plans it.
enum ProjectFuzzer {
  /// Rejects the bytes with findings, or makes a project and a plan from them. Anything else ends the process.
  static func run(_ bytes: [UInt8]) {
    let document: ProjectDocument
    do throws(ProjectError) {
      document = try ProjectDocument.parse(bytes)
    } catch {
      precondition(!error.findings.isEmpty, "refused without a finding")
      return
    }
    let indexes = document.media.mapValues { Clips.index(of: $0.path ?? $0.url?.description ?? "") }
    let check = ProjectCheck(document, indexes: indexes, unreadable: [:])
    precondition(
      check.project != nil || !check.findings.isEmpty, "neither a project nor a finding")
    guard let project = check.project, check.findings.isEmpty else { return }
    checkWriting(of: project)
    plan(project, indexes: indexes)
  }

  /// Checks that the written project reads as the same project.
  private static func checkWriting(of project: Project) {
    do {
      let text = try project.json()
      let again = try ProjectDocument.parse([UInt8](text))
      precondition(
        again == .composition(project), "reads otherwise: \(String(decoding: text, as: UTF8.self))")
    } catch {
      preconditionFailure("what was written cannot be read: \(error)")
    }
  }

  /// The maximum number of output frames to plan. Larger plans would take time from other inputs.
  private static let frameLimit = 2000.0

  private static func plan(_ project: Project, indexes: [String: MediaIndex]) {
    let frameDuration = project.videoComposition?.frameDuration.seconds ?? 1 / 30
    guard project.composition.duration.seconds <= frameLimit * frameDuration else { return }
    let digests = project.assets.mapValues {
      Digest.of([UInt8](($0.path ?? $0.url?.description ?? "").utf8))
    }
    do throws(ProjectError) {
      let requests = try Planner.rasterRequests(for: project, indexes: indexes)
      let plan = try Planner.plan(
        project, indexes: indexes, digests: digests, rasters: requests.map(Clips.raster))
      var next = plan.segments.first?.first
      for segment in plan.segments {
        precondition(segment.first == next && segment.end > segment.first, "segments do not join")
        next = segment.end
      }
    } catch {
      precondition(!error.findings.isEmpty, "not planned, and no finding")
    }
  }
}

/// The entry point that libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func fuzzProject(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  ProjectFuzzer.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}
