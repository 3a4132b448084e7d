import Crypto
import Planning
import Support
import Timeline

/// The way of a project file that a stranger sends, up to its plan: read, checked, expanded, written, planned.
enum ProjectFuzzer {
  /// Refuses the bytes with findings, or makes a project and a plan of them; anything else ends the process.
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

  /// What is written reads as the same project.
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

  /// The most output frames that are planned here: a plan grows with them, and the fuzzer wants many projects.
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

/// What libFuzzer calls with bytes of its choice.
@c(LLVMFuzzerTestOneInput)
public func fuzzProject(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  ProjectFuzzer.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}
