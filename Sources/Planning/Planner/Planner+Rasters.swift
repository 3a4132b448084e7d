import ProjectFormat
import Timeline

extension Planner {
  /// The pictures that have to be drawn before the project can be planned: the content of the animation's layers, each
  /// at the largest scale at which it is shown.
  ///
  /// - Parameters:
  ///   - project: the project; its video composition is derived if it has none.
  ///   - indexes: the media indexes by asset name.
  /// - Throws: ``ProjectError`` with everything that keeps the project from being planned.
  public static func rasterRequests(
    for project: Project, indexes: [String: MediaIndex]
  ) throws(ProjectError) -> [RasterRequest] {
    let findings = project.findings(indexes: indexes)
    guard findings.isEmpty else { throw ProjectError(findings: findings) }
    return try rasterRequests(for: project)
  }

  /// The same for a project whose composition and video composition have no findings.
  static func rasterRequests(for project: Project) throws(ProjectError) -> [RasterRequest] {
    guard
      let videoComposition = project.videoComposition?.fitted(into: project.export.effectivePreset),
      let animation = videoComposition.animation
    else { return [] }
    do {
      let grid = try OutputGrid(
        frameDuration: videoComposition.frameDuration, duration: project.composition.duration)
      var requests: [RasterRequest] = []
      var findings: [Finding] = []
      for chain in animation.chains() where chain.leaf.content != .video {
        let scale = try chain.greatestScale(
          on: grid, renderSize: videoComposition.renderSize,
          outputTransform: videoComposition.outputTransform,
          placedBy: videoComposition.instructions.flatMap(\.layers)
            .filter { $0.track == animation.track })
        guard scale < AffineTransform.largest else {
          findings += ProjectError(tooLarge: chain.path).findings
          continue
        }
        requests.append(
          RasterRequest(
            path: chain.path, content: try chain.leaf.content.counting(on: grid),
            bounds: chain.leaf.bounds, scale: scale,
            gravity: chain.leaf.content.kind == .image && chain.leaf.contentsGravity != .resize
              ? chain.leaf.contentsGravity : nil))
      }
      guard findings.isEmpty else { throw ProjectError(findings: findings) }
      return requests
    } catch let error as ProjectError {
      throw error
    } catch {
      throw ProjectError(timesAt: "videoComposition.animation")
    }
  }

  /// The content of the layers of a document that has findings, each at its own size, which is enough to find out
  /// whether it can be drawn. For a layer with findings of its own, only the file or the font is checked.
  static func rasterRequests(
    checking document: ProjectDocument, beside findings: [Finding]
  ) -> [RasterRequest] {
    (document.animation?.chains() ?? []).compactMap { chain in
      guard chain.leaf.content != .video else { return nil }
      let layer = document.path(of: chain.path)
      guard findings.contains(under: layer) else {
        return RasterRequest(
          path: chain.path, content: chain.leaf.content, bounds: chain.leaf.bounds, scale: 1)
      }
      guard !findings.contains(where: { $0.path == "\(layer).font.family" }) else { return nil }
      return chain.leaf.content.plain.map {
        RasterRequest(path: chain.path, content: $0, bounds: nil, scale: 1)
      }
    }
  }

  /// Findings for layers that were not drawn.
  static func rasterFindings(_ project: Project, rasters: [LayerRaster]) -> [Finding] {
    guard let animation = project.videoComposition?.animation else { return [] }
    let known = Set(rasters.map(\.path))
    return animation.chains().filter { $0.leaf.content != .video && !known.contains($0.path) }
      .map {
        Finding(
          path: $0.path.place(), problem: "the layer could not be drawn",
          remedy: "check its text, font or image")
      }
  }
}

extension ProjectError {
  /// The error for a layer whose position or scale is beyond the range of the computation.
  init(tooLarge layer: LayerPath) {
    self.init(
      path: layer.place(),
      problem: "the layer is too large or too far away after the transforms of its groups",
      remedy: "use smaller scales and positions for it and its groups")
  }
}

extension LayerContent {
  /// The simplest content that uses the same file or font; `nil` if the content needs neither.
  fileprivate var plain: LayerContent? {
    func text(_ font: LayerFont) -> LayerContent {
      .text(TextContent("0", font: LayerFont(family: font.family, size: 10)))
    }
    return switch self {
    case .image: self
    case .text(let content): text(content.font)
    case .timecode(let content): text(content.font)
    case .shape, .solid, .group, .video: nil
    }
  }

  /// The content, in which a time code without a rate gets that of the output.
  fileprivate func counting(on grid: OutputGrid) throws(TimeError) -> LayerContent {
    guard case .timecode(var timecode) = self, timecode.frameRate == nil else { return self }
    timecode.frameRate = try RationalTime(1) / grid.frameDuration
    return .timecode(timecode)
  }
}

extension LayerChain {
  /// The largest factor by which lengths in the layer's space grow on any frame that shows it; at least 1/1024.
  func greatestScale(
    on grid: OutputGrid, renderSize: PixelSize, outputTransform: AffineTransform,
    placedBy instructions: [LayerInstruction]
  ) throws(TimeError) -> Double {
    let changesSize = layers.contains { layer in
      layer.animations.contains { [.scale, .bounds, .opacity].contains($0.property) }
        || layer.timeRange != nil
    }
    var frames = 0..<(changesSize ? grid.frameCount : 1)
    // The scale of content that keeps its shape is known only once it is drawn, and is at most that of stretched
    // content.
    var layers = layers
    if !leaf.contentsGravity.keepsSize { layers[layers.count - 1].contentsGravity = .resize }
    let stretched = LayerChain(path: path, layers: layers)
    let natural = leaf.bounds ?? PixelRect(x: 0, y: 0, width: 100, height: 100)
    var greatest = 0.0
    while let frame = frames.popFirst() {
      let look = stretched.look(
        at: try grid.time(of: frame), renderSize: renderSize, natural: natural)
      let scale = look?.transform.greatestScale ?? 0
      guard scale.isFinite else { return .infinity }
      greatest = max(greatest, scale)
    }
    greatest *= outputTransform.greatestScale
    let placed = instructions.flatMap(\.transform.values).map(\.greatestScale).max() ?? 1
    let scale = greatest * max(placed, instructions.isEmpty ? 0 : 1)
    return abs(scale - 1) < 1e-6 ? 1 : max(scale, 1 / 1024)
  }
}

extension Ramps {
  /// The values at both ends of all pieces.
  package var values: [Value] {
    pieces.flatMap { piece in
      switch piece {
      case .step(_, let value): [value]
      case .ramp(_, let from, let to, _): [from, to]
      }
    }
  }
}

extension AffineTransform {
  /// The largest factor by which a length grows: the greater singular value.
  fileprivate var greatestScale: Double {
    let (squares, determinant) = (a * a + b * b + c * c + d * d, a * d - b * c)
    let root = (squares * squares - 4 * determinant * determinant).squareRoot()
    return ((squares + (root.isNaN ? 0 : root)) / 2).squareRoot()
  }
}
