import Crypto
import ProjectFormat
import Timeline

/// The timeline of a project on the output's grid, before it is divided into segments.
struct DraftTimeline {
  /// The video composition at the output's size.
  let videoComposition: VideoComposition
  let grid: OutputGrid
  /// The exported frames, or those before the first one that is not recorded yet.
  let shown: Range<Int>
  /// Whether more frames follow once they are recorded.
  let isPartial: Bool
  let drafter: SliceDrafter
  /// The slices of ``shown``, contiguous, with excerpts in place of recordings.
  let slices: [DraftSlice]
  /// The slices of all exported frames, also those that are not recorded yet.
  let whole: [DraftSlice]
  let animation: AnimationFlattener?

  /// Drafts a project that has no findings.
  ///
  /// - Parameters:
  ///   - unscaled: the project's video composition, or the derived one.
  ///   - indexes: the media indexes by asset name, for the project's export.
  ///   - rasters: the pictures of the animation's layers; `nil` if they are not drawn yet. They are then assumed to
  ///     fill their bounds.
  ///   - recordings: the recordings that are shown through their excerpts, by asset name.
  init(
    _ project: Project, showing unscaled: VideoComposition, indexes: [String: MediaIndex],
    rasters: [LayerRaster]?, recordings: [String: ExcerptedRecording] = [:]
  ) throws(TimeError) {
    let videoComposition = unscaled.atOutputSize
    let grid = try OutputGrid(
      frameDuration: videoComposition.frameDuration, duration: project.composition.duration)
    (self.videoComposition, self.grid) = (videoComposition, grid)
    let shown: Range<Int>
    if let range = project.export.timeRange {
      shown = try grid.frames(in: range)
    } else {
      shown = 0..<grid.frameCount
    }
    drafter = try SliceDrafter(
      project.composition, indexes: indexes, grid: grid,
      animationTrack: videoComposition.animation?.track)
    var excerptFrames: [String: ExcerptFrames] = [:]
    for (name, recording) in recordings {
      guard let frames = indexes[name]?.video.first?.frames else { continue }
      excerptFrames[name] = ExcerptFrames(of: recording, in: frames)
    }
    whole = try drafter.slices(of: videoComposition.instructions).compactMap {
      $0.clamped(to: shown)
    }
    let slices = whole.showing(excerptsOf: excerptFrames)
    self.slices = slices
    let end = slices.last?.frames.upperBound ?? shown.lowerBound
    isPartial = excerptFrames.values.contains(where: \.isGrowing) && end < shown.upperBound
    self.shown = isPartial ? shown.lowerBound..<end : shown
    animation = videoComposition.animation.map { animation in
      AnimationFlattener(
        animation,
        rasters: rasters ?? animation.fullRasters(in: unscaled.renderSize), grid: grid,
        renderSize: unscaled.renderSize, outputTransform: unscaled.outputTransform,
        outputSize: unscaled.outputSize)
    }
  }

  /// The division of the timeline into copied and encoded segments.
  ///
  /// - Throws: ``ProjectError`` as ``PassthroughLayout`` does.
  func layout(
    copying source: PassthroughSource, _ export: ExportSettings,
    options: PlanOptions = PlanOptions()
  ) throws(ProjectError) -> PassthroughLayout {
    try PassthroughLayout(
      slices, of: whole,
      by: CopyFinder(
        format: source, grid: grid, renderSize: videoComposition.renderSize, animation: animation),
      encoding: export.isAutomatic ? ExportPreset.passthrough.videoSettings() : export.video,
      options: options, compatibility: export.compatibility)
  }
}

extension Project {
  /// The project with its video composition, which is derived if it has none.
  func completed(
    indexes: [String: MediaIndex]
  ) throws(ProjectError) -> (Project, VideoComposition) {
    if let videoComposition {
      return (self, videoComposition.fitted(into: export.effectivePreset))
    }
    var project = self
    let derived = try VideoComposition.derived(from: self, indexes: indexes)
    project.videoComposition = derived
    return (project, derived)
  }
}

extension Animation {
  /// A picture for each layer with content that fills the layer's bounds, or the whole frame if it has none.
  fileprivate func fullRasters(in renderSize: PixelSize) -> [LayerRaster] {
    let frame = PixelRect(
      x: 0, y: 0, width: Double(renderSize.width), height: Double(renderSize.height))
    let stream = VideoStream(
      streamIndex: 0, codec: "png", timeBase: RationalTime(1), size: renderSize,
      pixelFormat: "rgba", pixelAspectRatio: RationalTime(1), cleanAperture: nil,
      orientation: .identity,
      color: ColorTags(primaries: nil, transfer: nil, matrix: nil, range: nil),
      fieldOrder: "progressive", nominalFrameRate: nil, parameterSets: [],
      frames: FrameTable(times: [0], end: 1, keyframes: []))
    return chains().filter { $0.leaf.content != .video }.map { chain in
      let bounds = chain.leaf.bounds ?? frame
      return LayerRaster(
        path: chain.path, bounds: bounds,
        tiles: [
          RasterTile(
            asset: Digest.of([UInt8]()), byteCount: 0, area: bounds, stream: stream)
        ])
    }
  }
}
