import Crypto
import Planning
import ProjectFormat
import Support
import Timeline

/// A clip of four seconds at 30 frames per second beneath an animation, and rasters for its requests.
enum AnimatedClip {
  static let rate = RationalTime(30)

  /// A plan of four seconds at 30 frames per second, 640 × 360, optionally without post-processing in the second half.
  static func plan(
    _ animation: Animation, isPlainAfter: Bool = false, layers: [LayerInstruction]? = nil,
    renderScale: Double = 1
  ) throws -> Plan {
    let whole = try TimeRange(start: .zero, duration: RationalTime(4))
    let layers = layers ?? [LayerInstruction(track: 1)]
    var instructions = [Instruction(timeRange: whole, layers: layers)]
    if isPlainAfter {
      instructions = try [
        Instruction(timeRange: TimeRange(start: .zero, duration: RationalTime(2)), layers: layers),
        Instruction(
          timeRange: TimeRange(start: RationalTime(2), duration: RationalTime(2)),
          enablePostProcessing: false, layers: layers),
      ]
    }
    let project = try project(animation, instructions, over: whole, renderScale: renderScale)
    let indexes = try indexes()
    let rasters = try Planner.rasterRequests(for: project, indexes: indexes).map(raster)
    return try Planner.plan(
      project, indexes: indexes, digests: ["clip": Planned.digest(1)], rasters: rasters)
  }

  /// The requests for the pictures of an animation over the whole clip.
  static func rasterRequests(_ animation: Animation) throws -> [RasterRequest] {
    let whole = try TimeRange(start: .zero, duration: RationalTime(4))
    let instruction = Instruction(timeRange: whole, layers: [LayerInstruction(track: 1)])
    return try Planner.rasterRequests(
      for: try project(animation, [instruction], over: whole), indexes: try indexes())
  }

  /// The warnings about layers of an animation over the whole clip.
  static func hiddenLayers(_ animation: Animation) throws -> [Finding] {
    let whole = try TimeRange(start: .zero, duration: RationalTime(4))
    let instruction = Instruction(timeRange: whole, layers: [LayerInstruction(track: 1)])
    let project = try project(animation, [instruction], over: whole)
    let rasters = try Planner.rasterRequests(for: project, indexes: try indexes()).map(raster)
    return Planner.hiddenLayers(of: project, rasters: rasters)
  }

  private static func project(
    _ animation: Animation, _ instructions: [Instruction], over whole: TimeRange,
    renderScale: Double = 1
  ) throws -> Project {
    Project(
      assets: ["clip": Asset(path: "clip.mp4")],
      composition: Composition(tracks: [
        Track(
          id: 1, mediaType: .video,
          segments: [TrackSegment(asset: "clip", trackIndex: 0, source: whole, target: whole)])
      ]),
      videoComposition: VideoComposition(
        renderSize: PixelSize(width: 640, height: 360), renderScale: renderScale,
        frameDuration: try RationalTime(1, 30), instructions: instructions, animation: animation))
  }

  private static func indexes() throws -> [String: MediaIndex] {
    ["clip": try MediaIndex.clip(seconds: RationalTime(4), rate: rate)]
  }

  /// A raster of 100 × 50 pixels, or of twelve glyphs of 10 × 20 pixels for a time code.
  static func raster(_ request: RasterRequest) throws -> LayerRaster {
    let isTimecode = request.content.kind == .timecode
    let size = isTimecode ? PixelSize(width: 120, height: 20) : PixelSize(width: 100, height: 50)
    let bounds =
      request.bounds
      ?? PixelRect(
        x: 0, y: 0, width: isTimecode ? 110 : Double(size.width), height: Double(size.height))
    let area =
      isTimecode ? PixelRect(x: 0, y: 0, width: 120, height: 20) : bounds
    guard let stream = MediaIndex.stillImage(size: size).video.first else {
      throw CancellationError()
    }
    return LayerRaster(
      path: request.path, bounds: bounds,
      tiles: [
        RasterTile(asset: try Planned.digest(9), byteCount: 77, area: area, stream: stream)
      ])
  }

  static let box = PixelRect(x: 0, y: 0, width: 100, height: 50)

  static func solid(_ change: (inout AnimationLayer) -> Void = { _ in }) -> AnimationLayer {
    var layer = AnimationLayer(
      .solid(.black), position: LayerPoint(x: 0, y: 0), anchorPoint: LayerPoint(x: 0, y: 0),
      bounds: box)
    change(&layer)
    return layer
  }

  static func overlays(_ plan: Plan) -> [[LayerSlice]] {
    plan.segments.flatMap(\.slices).map { $0.overlay?.layers ?? [] }
  }
}
