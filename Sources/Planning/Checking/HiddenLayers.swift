import ProjectFormat
import Timeline

extension Planner {
  /// The most instants that are examined for layers that nobody sees. Layers beyond that are assumed to be visible.
  private static let examinedInstants = 200_000

  /// Warnings about layers that no frame shows: outside the frame, transparent, without a size, or at other times than
  /// the composition's.
  ///
  /// - Parameter rasters: the layers' pictures.
  public static func hiddenLayers(of project: Project, rasters: [LayerRaster]) -> [Finding] {
    guard let videoComposition = project.videoComposition,
      let animation = videoComposition.animation, animation.track == nil,
      let grid = try? OutputGrid(
        frameDuration: videoComposition.frameDuration, duration: project.composition.duration)
    else { return [] }
    let pictures = Dictionary(rasters.map { ($0.path, $0) }) { first, _ in first }
    var instants = examinedInstants
    return animation.chains().compactMap { chain in
      guard let raster = pictures[chain.path] else { return nil }
      return chain.reasonHidden(
        raster, on: grid, renderSize: videoComposition.renderSize, instants: &instants
      ).map { reason in
        Finding(
          path: chain.path.place(), problem: "the layer is never visible: \(reason.problem)",
          remedy: reason.remedy)
      }
    }
  }
}

/// Why no frame shows a layer.
private enum HiddenReason {
  case transparent, sizeless, outside
  /// The composition's length.
  case elsewhen(RationalTime)

  var problem: String {
    switch self {
    case .elsewhen(let end):
      "its time range contains no frame of the video, which is \(end.shortDecimal()) s long"
    case .transparent: "it is always transparent"
    case .sizeless: "its size is always 0"
    case .outside: "it is always outside the frame"
    }
  }

  var remedy: String {
    switch self {
    case .elsewhen: "move it to a time within the video, or remove it"
    case .transparent: "set an opacity above 0, or remove it"
    case .sizeless: "set a scale other than 0, or remove it"
    case .outside: "move it into the frame, or remove it"
    }
  }
}

extension LayerChain {
  /// Why no frame shows the layer; `nil` if one does.
  fileprivate func reasonHidden(
    _ raster: LayerRaster, on grid: OutputGrid, renderSize: PixelSize, instants: inout Int
  ) -> HiddenReason? {
    guard leaf.content != .video, let end = try? grid.time(of: grid.frameCount),
      let whole = try? TimeRange(start: .zero, end: end), grid.frameCount > 0,
      let drawn = raster.tiles.map(\.area).joined
    else { return nil }
    let frame = PixelRect(
      x: 0, y: 0, width: Double(renderSize.width), height: Double(renderSize.height))
    // A time code's tile has all digits side by side; what it shows of them fills its bounds.
    let picture = leaf.content.kind == .timecode ? raster.bounds : drawn
    var reason = HiddenReason.elsewhen(end)
    for number in 0..<(changes(within: whole) ? grid.frameCount : 1) {
      guard instants > 0 else { return nil }
      instants -= 1
      guard let time = try? grid.time(of: number) else { return nil }
      guard let look = look(at: time, renderSize: renderSize, natural: raster.bounds) else {
        if case .elsewhen = reason, shows(at: time) { reason = .transparent }
        continue
      }
      let seen = look.resized ?? picture
      let place = look.transform.extent(of: seen)
      guard place.width > 0, place.height > 0 else {
        if case .outside = reason { continue }
        reason = .sizeless
        continue
      }
      let clips = look.clips.map { $0.transform.extent(of: $0.rect) }
      if ([frame] + clips).allSatisfy({ $0.meets(place) }) { return nil }
      reason = .outside
    }
    return reason
  }

  /// Whether the time ranges of the layer and its groups contain an instant.
  private func shows(at time: RationalTime) -> Bool {
    layers.allSatisfy { $0.timeRange?.contains(time) ?? true }
  }
}

extension AffineTransform {
  /// The smallest upright rectangle around the image of a rectangle.
  fileprivate func extent(of rect: PixelRect) -> PixelRect {
    let corners = [
      (rect.x, rect.y), (rect.x + rect.width, rect.y), (rect.x, rect.y + rect.height),
      (rect.x + rect.width, rect.y + rect.height),
    ].map { (x: a * $0 + c * $1 + tx, y: b * $0 + d * $1 + ty) }
    let (columns, rows) = (corners.map(\.x), corners.map(\.y))
    let (left, right) = (columns.min() ?? 0, columns.max() ?? 0)
    let (top, bottom) = (rows.min() ?? 0, rows.max() ?? 0)
    return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
  }
}

extension PixelRect {
  /// Whether two rectangles have an area in common.
  fileprivate func meets(_ other: PixelRect) -> Bool {
    x < other.x + other.width && other.x < x + width && y < other.y + other.height
      && other.y < y + height
  }
}
