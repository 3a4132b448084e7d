import ProjectFormat
import Timeline

extension Planner {
  /// The warning that the preset `passthrough` copies no frame of a project without findings, with the reason for most
  /// of its frames. Titles and other layers are not drawn yet, so it is about the frames without them.
  static func uncopied(_ project: Project, indexes: [String: MediaIndex]) -> [Finding] {
    var project = project
    project.videoComposition?.animation = nil
    guard project.export.isPassthrough, project.exportsPictures,
      let source = try? PassthroughSource(chosenFor: project, indexes: indexes),
      let (whole, videoComposition) = try? project.completed(indexes: indexes),
      let draft = try? DraftTimeline(
        whole, showing: videoComposition, indexes: project.export.indexes(indexes),
        rasters: nil),
      let layout = try? draft.layout(copying: source, project.export), layout.copiedCount == 0,
      let reason = layout.method(of: .encoded(draft.shown)).reason
    else { return [] }
    return [
      Finding(
        path: "export.preset",
        problem: "the preset \"passthrough\" can copy nothing, because \(reason)",
        remedy: "cut at keyframes, or choose the preset \"automatic\" or \"highestQuality\"")
    ]
  }
}
