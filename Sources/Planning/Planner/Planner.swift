import Crypto
import Timeline

/// Turns a project and its media indexes into a plan.
public enum Planner {
  /// The plan of a project; a pure function of what it is given.
  ///
  /// The output has as many frames as show an instant before the composition's end, and sound of the same length.
  ///
  /// - Parameters:
  ///   - project: The project; its video composition is derived where it has none.
  ///   - indexes: The media indexes by asset name.
  ///   - digests: The assets' SHA-256 by asset name.
  ///   - options: How the time line is cut.
  /// - Throws: ``ProjectError`` with everything that keeps the project from being rendered.
  public static func plan(
    _ project: Project, indexes: [String: MediaIndex], digests: [String: Digest],
    options: PlanOptions = PlanOptions()
  ) throws(ProjectError) -> Plan {
    let (project, videoComposition) = try completed(project, indexes: indexes)
    let findings =
      project.findings(indexes: indexes) + digestFindings(project, digests: digests)
    guard findings.isEmpty else { throw ProjectError(findings: findings) }
    do throws(TimeError) {
      return try plan(
        project, videoComposition: videoComposition.atOutputSize, indexes: indexes,
        digests: digests, options: options)
    } catch {
      throw ProjectError(timesAt: "composition")
    }
  }

  /// The project with a video composition.
  private static func completed(_ project: Project, indexes: [String: MediaIndex])
    throws(ProjectError) -> (Project, VideoComposition)
  {
    if let videoComposition = project.videoComposition { return (project, videoComposition) }
    var project = project
    let derived = try VideoComposition.derived(from: project, indexes: indexes)
    project.videoComposition = derived
    return (project, derived)
  }

  private static func digestFindings(_ project: Project, digests: [String: Digest]) -> [Finding] {
    let used = Set(
      project.composition.tracks.flatMap(\.segments).map(\.asset) + project.maps)
    return used.filter { digests[$0] == nil }.sorted().map { asset in
      Finding(
        path: "assets.\(asset)", problem: "the asset \"\(asset)\" has no digest",
        remedy: "submit its file")
    }
  }

  private static func plan(
    _ project: Project, videoComposition: VideoComposition, indexes: [String: MediaIndex],
    digests: [String: Digest], options: PlanOptions
  ) throws(TimeError) -> Plan {
    let grid = try OutputGrid(
      frameDuration: videoComposition.frameDuration, duration: project.composition.duration)
    let drafter = try SliceDrafter(project.composition, indexes: indexes, grid: grid)
    let slices = try drafter.slices(of: videoComposition.instructions)
    let cutter = SegmentCutter(
      slices: slices,
      targetFrames: options.targetFrames(
        frameCount: grid.frameCount, frameDuration: grid.frameDuration))
    let writer = SegmentWriter(
      grid: grid, renderSize: videoComposition.renderSize, video: project.export.video,
      indexes: indexes, digests: digests,
      workingFormat: WorkingFormat.chosen(
        bitDepth: nil, carriesHDR: false, size: videoComposition.renderSize,
        streams: slices.flatMap(\.layers).map { ($0.stream, $0.index.isStillImage) }))
    var segments: [SegmentDescription] = []
    var next = 0
    for range in cutter.ranges() {
      while slices[next].frames.upperBound <= range.lowerBound { next += 1 }
      let shown = slices[next...].prefix { $0.frames.lowerBound < range.upperBound }
      segments.append(try writer.description(of: range, showing: shown))
    }
    let mixWriter = MixWriter(
      grid: grid, settings: project.export.audio, indexes: indexes, digests: digests)
    return Plan(
      frameDuration: grid.frameDuration, renderSize: videoComposition.renderSize,
      frameCount: grid.frameCount, segments: segments,
      mix: try mixWriter.description(of: project), export: project.export)
  }
}
