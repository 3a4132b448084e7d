import Crypto
import Planning
import Support
import Testing
import Timeline

/// Each slice carries what its frames show of an animation, and nothing else.
struct AnimationPlanTests {
  private static let rate = RationalTime(30)

  /// A plan of four seconds at 30 frames a second, 640 × 360, whose second half is not post-processed where it says so.
  private static func plan(
    _ animation: Animation, isPlainAfter: Bool = false, layers: [LayerInstruction]? = nil,
    renderScale: Double = 1
  ) throws -> Plan {
    let frameDuration = try RationalTime(1, 30)
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
    let project = Project(
      assets: ["clip": Asset(path: "clip.mp4")],
      composition: Composition(tracks: [
        Track(
          id: 1, mediaType: .video,
          segments: [TrackSegment(asset: "clip", trackIndex: 0, source: whole, target: whole)])
      ]),
      videoComposition: VideoComposition(
        renderSize: PixelSize(width: 640, height: 360), renderScale: renderScale,
        frameDuration: frameDuration, instructions: instructions, animation: animation))
    let indexes = ["clip": try MediaIndex.clip(seconds: RationalTime(4), rate: rate)]
    let rasters = try Planner.rasterRequests(for: project, indexes: indexes).map(raster)
    return try Planner.plan(
      project, indexes: indexes, digests: ["clip": Planned.digest(1)], rasters: rasters)
  }

  /// A raster of 100 × 50 pixels, or of a time code's twelve glyphs of 10 × 20.
  private static func raster(_ request: RasterRequest) throws -> LayerRaster {
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

  private static let box = PixelRect(x: 0, y: 0, width: 100, height: 50)

  private static func solid(_ change: (inout AnimationLayer) -> Void = { _ in }) -> AnimationLayer {
    var layer = AnimationLayer(
      .solid(.black), position: LayerPoint(x: 0, y: 0), anchorPoint: LayerPoint(x: 0, y: 0),
      bounds: box)
    change(&layer)
    return layer
  }

  private static func overlays(_ plan: Plan) -> [[LayerSlice]] {
    plan.segments.flatMap(\.slices).map { $0.overlay?.layers ?? [] }
  }

  @Test func `a layer at rest is one step, and its picture one source`() throws {
    let plan = try Self.plan(
      Animation(layers: [Self.solid { $0.position = LayerPoint(x: 20, y: 30) }]))
    for segment in plan.segments {
      let slice = try #require(segment.slices.first)
      let layer = try #require(slice.overlay?.layers.first)
      #expect(slice.overlay?.isOverVideo == true)
      #expect(segment.sources[layer.source].asset == (try Planned.digest(9)))
      #expect(segment.sources[layer.source].byteCount == 77)
      #expect(
        layer.transform.pieces == [
          .step(
            at: try segment.frameDuration * Int64(slice.first),
            value: AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 20, ty: 30))
        ])
      #expect(layer.opacity.pieces.isEmpty && layer.clips == nil && layer.tint == nil)
    }
  }

  @Test func `a straight way is one ramp a slice`() throws {
    let plan = try Self.plan(
      Animation(layers: [
        Self.solid {
          $0.animations = [
            LayerAnimation(
              .position,
              values: [.point(LayerPoint(x: 0, y: 0)), .point(LayerPoint(x: 120, y: 0))],
              duration: RationalTime(4), fillMode: .both)
          ]
        }
      ]))
    for (number, segment) in plan.segments.enumerated() {
      let layer = try #require(segment.slices.first?.overlay?.layers.first)
      #expect(layer.transform.pieces.count == 1, "segment \(number)")
      for frame in segment.first..<segment.end {
        let shown = layer.transform.value(at: try segment.frameDuration * Int64(frame))
        let x = shown?.tx ?? -1
        #expect(abs(x - Double(frame)) < 1e-6)
      }
    }
  }

  @Test func `an eased turn is exact at every frame`() throws {
    let animation = LayerAnimation(
      .rotation, values: [.number(0), .number(90)], timingFunction: .easeInEaseOut,
      duration: RationalTime(4), fillMode: .both)
    let plan = try Self.plan(Animation(layers: [Self.solid { $0.animations = [animation] }]))
    for segment in plan.segments {
      let layer = try #require(segment.slices.first?.overlay?.layers.first)
      for frame in segment.first..<segment.end {
        let time = try segment.frameDuration * Int64(frame)
        let progress = TimingFunction.easeInEaseOut.progress(after: Double(frame) / 120)
        let shown = try #require(layer.transform.value(at: time))
        let angle = progress * Double.pi / 2
        // A turn's sine and cosine, from the tangent of its half.
        let length = shown.b * shown.b + shown.a * shown.a
        #expect(abs(length - 1) < 1e-9)
        #expect(abs(shown.b - Self.sine(angle)) < 1e-9)
      }
    }
  }

  private static func sine(_ angle: Double) -> Double {
    var (sum, term) = (angle, angle)
    for power in stride(from: 2.0, through: 30, by: 2) {
      term *= -angle * angle / (power * (power + 1))
      sum += term
    }
    return sum
  }

  @Test func `instructions without post-processing have no overlay`() throws {
    let plan = try Self.plan(Animation(layers: [Self.solid()]), isPlainAfter: true)
    for slice in plan.segments.flatMap(\.slices) {
      #expect((slice.overlay != nil) == (slice.first < 60))
    }
  }

  @Test func `layers lie by z position, then in their order, later ones above`() throws {
    let layers = [(1.0, 10.0), (0, 20), (0, 30), (-1, 40)].map { z, x in
      Self.solid {
        $0.zPosition = z
        $0.position = LayerPoint(x: x, y: 0)
      }
    }
    let plan = try Self.plan(Animation(layers: layers))
    let shown = try #require(Self.overlays(plan).first)
    #expect(shown.map { $0.transform.finalValue?.tx } == [10, 30, 20, 40])
  }

  @Test func `a group moves, scales, fades and clips what is inside it`() throws {
    var group = AnimationLayer(
      .group([
        Self.solid {
          $0.position = LayerPoint(x: 10, y: 0)
          $0.opacity = 0.5
        }
      ]),
      position: LayerPoint(x: 100, y: 50), anchorPoint: LayerPoint(x: 0, y: 0),
      bounds: PixelRect(x: 0, y: 0, width: 60, height: 60))
    group.scale = LayerPoint(x: 2, y: 2)
    group.opacity = 0.5
    group.masksToBounds = true
    let plan = try Self.plan(Animation(layers: [group]))
    let layer = try #require(Self.overlays(plan).first?.first)
    #expect(
      layer.transform.finalValue == AffineTransform(a: 2, b: 0, c: 0, d: 2, tx: 120, ty: 50))
    #expect(layer.opacity.finalValue == 0.25)
    let clip = try #require(layer.clips?.first)
    #expect(clip.rect.finalValue == PixelRect(x: 0, y: 0, width: 60, height: 60))
    #expect(
      clip.transform.finalValue == AffineTransform(a: 2, b: 0, c: 0, d: 2, tx: 100, ty: 50))
  }

  /// A solid of a size in groups that are each scaled by a factor.
  private static func nested(_ factors: [Double], side: Double) -> AnimationLayer {
    var layer = solid()
    layer.bounds = PixelRect(x: 0, y: 0, width: side, height: side)
    for factor in factors {
      var group = AnimationLayer(.group([layer]))
      group.scale = LayerPoint(x: factor, y: factor)
      layer = group
    }
    return layer
  }

  @Test(arguments: [([1e6, 1e6, 1e6], 10.0), ([1e6], 1e6)])
  func `layers that groups around them make too large are refused by their path`(
    factors: [Double], side: Double
  ) throws {
    let tree = Animation(layers: [Self.nested(factors, side: side)])
    let error = #expect(throws: ProjectError.self) { try Self.plan(tree) }
    let path = Array(repeating: "layers[0]", count: factors.count + 1).joined(separator: ".")
    #expect(
      error?.lines == [
        "videoComposition.animation.\(path): the layer is too large or too far off under the groups around it; scale and move it, and them, by less"
      ])
    #expect(throws: Never.self) {
      try Self.plan(Animation(layers: [Self.nested(factors.map { _ in 10 }, side: side)]))
    }
  }

  @Test func `a faded group whose layers overlap is composited by itself`() throws {
    func overlay(_ x: Double, opacity: Double = 0.5, inner: Double = 0.5) throws -> [LayerSlice] {
      var group = AnimationLayer(
        .group([
          Self.solid(),
          Self.solid {
            $0.position = LayerPoint(x: x, y: 0)
            $0.opacity = inner
          },
        ]))
      group.opacity = opacity
      return try #require(Self.overlays(Self.plan(Animation(layers: [group]))).first)
    }
    let faded = try overlay(99)
    #expect(faded.map(\.source) == [LayerSlice.compositedGroup])
    #expect(faded.first?.opacity.finalValue == 0.5)
    #expect(faded.first?.sublayers?.map(\.source) == [1, 1])
    #expect(faded.first?.sublayers?.map { $0.opacity.finalValue ?? 1 } == [0.5, 1])
    // Side by side, or where nothing fades but one of them, each is one by itself.
    #expect(try overlay(100).map { $0.opacity.finalValue } == [0.25, 0.5])
    #expect(try overlay(50, opacity: 1).map { $0.opacity.finalValue } == [0.5, nil])
  }

  @Test func `the video in a faded group is composited with what lies over it`() throws {
    var group = AnimationLayer(.group([AnimationLayer(.video), Self.solid()]))
    group.opacity = 0.5
    let plan = try Self.plan(Animation(layers: [group]))
    let overlay = try #require(plan.segments.first?.slices.first?.overlay)
    #expect(!overlay.isOverVideo)
    #expect(overlay.layers.map(\.source) == [LayerSlice.compositedGroup])
    #expect(overlay.layers[0].sublayers?.map(\.source) == [1, LayerSlice.compositedVideo])
  }

  @Test func `a fading track of a tree whose layers overlap fades as one`() throws {
    var placed = LayerInstruction(track: 7)
    placed.opacity = Ramps([.step(at: .zero, value: 0.5)])
    let plan = try Self.plan(
      Animation(layers: [Self.solid(), Self.solid()], track: 7),
      layers: [LayerInstruction(track: 1), placed])
    let layer = try #require(plan.segments.first?.slices.first?.layers.last)
    #expect(layer.opacity.finalValue == 0.5 && layer.sublayers?.count == 2)
  }

  @Test func `a layer shows in its time range, and a slice without it does not carry it`() throws {
    let range = try TimeRange(start: RationalTime(1), duration: RationalTime(1))
    let plan = try Self.plan(Animation(layers: [Self.solid { $0.timeRange = range }]))
    for segment in plan.segments {
      for slice in segment.slices {
        let layer = slice.overlay?.layers.first
        let isShown = slice.first < 60 && slice.end > 30
        #expect((layer != nil) == isShown)
        guard let layer else { continue }
        for frame in slice.first..<slice.end {
          let opacity = layer.opacity.value(at: try segment.frameDuration * Int64(frame)) ?? 1
          #expect((opacity > 0) == (30..<60).contains(frame))
        }
      }
    }
  }

  @Test func `a layer outside the frame is not carried`() throws {
    let plan = try Self.plan(
      Animation(layers: [Self.solid { $0.position = LayerPoint(x: 640, y: 0) }]))
    #expect(plan.segments.allSatisfy { $0.sources.count == 1 && $0.slices[0].overlay == nil })
  }

  @Test func `the video as a layer is composited by itself unless it lies plain beneath`() throws {
    let plain = try Self.plan(Animation(layers: [AnimationLayer(.video), Self.solid()]))
    #expect(Self.overlays(plain).allSatisfy { $0.count == 1 })
    let moved = try Self.plan(
      Animation(layers: [
        Self.solid(),
        AnimationLayer(
          .video, position: LayerPoint(x: 320, y: 180), scale: LayerPoint(x: 0.5, y: 0.5)),
      ]))
    let overlay = try #require(moved.segments.first?.slices.first?.overlay)
    #expect(!overlay.isOverVideo)
    #expect(overlay.layers.map(\.source) == [LayerSlice.compositedVideo, 1])
    #expect(
      overlay.layers[0].transform.finalValue
        == AffineTransform(a: 0.5, b: 0, c: 0, d: 0.5, tx: 160, ty: 90))
  }

  @Test func `a tree that is a track lies where its layer instruction says`() throws {
    var placed = LayerInstruction(track: 7)
    placed.opacity = Ramps([.step(at: .zero, value: 0.5)])
    placed.transform = Ramps([
      .step(at: .zero, value: AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 5, ty: 6))
    ])
    placed.crop = Ramps([.step(at: .zero, value: PixelRect(x: 0, y: 0, width: 50, height: 50))])
    let plan = try Self.plan(
      Animation(layers: [Self.solid()], track: 7),
      layers: [LayerInstruction(track: 1), placed])
    let slice = try #require(plan.segments.first?.slices.first)
    #expect(slice.overlay == nil)
    #expect(slice.layers.map(\.isSmooth) == [nil, true])
    #expect(slice.layers[1].opacity.finalValue == 0.5)
    #expect(slice.layers[1].transform.finalValue?.tx == 5)
    #expect(slice.layers[1].clips?.count == 1)
  }

  @Test func `the tree is scaled with the render scale`() throws {
    let plan = try Self.plan(
      Animation(layers: [Self.solid { $0.position = LayerPoint(x: 20, y: 30) }]), renderScale: 0.5)
    let layer = try #require(Self.overlays(plan).first?.first)
    #expect(
      layer.transform.finalValue == AffineTransform(a: 0.5, b: 0, c: 0, d: 0.5, tx: 10, ty: 15))
  }

  /// The layer of content of 100 × 50 pixels whose bounds become twice as wide at once.
  private static func widened(
    _ content: LayerContent, _ gravity: ContentsGravity = .resize
  ) throws -> LayerSlice {
    let wide = PixelRect(x: 0, y: 0, width: 200, height: 50)
    let layer = AnimationLayer(
      content, position: LayerPoint(x: 0, y: 0), anchorPoint: LayerPoint(x: 0, y: 0), bounds: box,
      animations: [
        LayerAnimation(
          .bounds, values: [.rect(wide), .rect(wide)], duration: RationalTime(4), fillMode: .both)
      ], contentsGravity: gravity)
    return try #require(overlays(plan(Animation(layers: [layer]))).first?.first)
  }

  private static let text = LayerContent.text(TextContent("a", font: LayerFont(size: 20)))

  @Test(arguments: [
    (ContentsGravity.resize, AffineTransform(a: 2, b: 0, c: 0, d: 1, tx: 0, ty: 0)),
    (.resizeAspect, AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 50, ty: 0)),
    (.resizeAspectFill, AffineTransform(a: 2, b: 0, c: 0, d: 2, tx: 0, ty: -25)),
    (.center, AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 50, ty: 0)),
    (.left, AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)),
  ])
  func `content lies in animated bounds as its gravity says`(
    gravity: ContentsGravity, map: AffineTransform
  ) throws {
    #expect(try Self.widened(Self.text, gravity).transform.finalValue == map)
  }

  @Test func `a path is as it is in any bounds`() throws {
    let path = ShapeContent(.path("M 0 0 H 9 V 9 Z"), fill: .black)
    let layer = try Self.widened(.shape(path))
    #expect(layer.transform.finalValue == .identity && layer.corners == nil)
  }

  @Test func `a rectangle's corners keep their size in any bounds`() throws {
    let shape = ShapeContent(.rectangle(cornerRadius: 10), fill: .black)
    let layer = try Self.widened(.shape(shape))
    #expect(
      layer.transform.finalValue == AffineTransform(a: 2, b: 0, c: 0, d: 1, tx: 0, ty: 0))
    #expect(layer.corners?.length == LayerPoint(x: 11, y: 11))
    #expect(layer.corners?.stretch.finalValue == LayerPoint(x: 2, y: 1))
    // Sharp ones have nothing to keep.
    let sharp = ShapeContent(.rectangle(cornerRadius: 0), fill: .black)
    #expect(try Self.widened(.shape(sharp)).corners == nil)
  }

  @Test func `a time code shows at each frame the glyphs of its name`() throws {
    let timecode = TimecodeContent(
      start: "01:00:00:00", font: LayerFont(size: 20))
    let plan = try Self.plan(
      Animation(layers: [AnimationLayer(.timecode(timecode), position: LayerPoint(x: 100, y: 100))])
    )
    let clock = try #require(TimecodeClock(frameRate: Self.rate, dropsFrames: false))
    for segment in plan.segments {
      let layers = try #require(segment.slices.first?.overlay?.layers)
      #expect(layers.count == 11 && segment.sources.count == 2)
      for frame in segment.first..<segment.end {
        let time = try segment.frameDuration * Int64(frame)
        let text = layers.map { layer in
          let crop = layer.crop.value(at: time)?.x ?? 0
          return TimecodeClock.glyphs[Int(crop / 10)]
        }
        #expect(String(text) == clock.text(ofFrame: 108_000 + frame))
        for (place, layer) in layers.enumerated() {
          let (crop, map) = (layer.crop.value(at: time)?.x ?? 0, layer.transform.value(at: time))
          // Its middle is at (100, 100): it begins 55 pixels to the left.
          let (left, wanted) = (crop + (map?.tx ?? 0), 45 + 10 * Double(place))
          #expect(left == wanted)
        }
      }
    }
  }

  @Test func `an asked-for scale is the largest that shows`() throws {
    let whole = try TimeRange(start: .zero, duration: RationalTime(4))
    let grow = LayerAnimation(
      .scale, values: [.point(LayerPoint(x: 1, y: 1)), .point(LayerPoint(x: 3, y: 2))],
      duration: RationalTime(4), fillMode: .both)
    let project = Project(
      assets: ["clip": Asset(path: "clip.mp4")],
      composition: Composition(tracks: [
        Track(
          id: 1, mediaType: .video,
          segments: [TrackSegment(asset: "clip", trackIndex: 0, source: whole, target: whole)])
      ]),
      videoComposition: VideoComposition(
        renderSize: PixelSize(width: 640, height: 360), frameDuration: try RationalTime(1, 30),
        instructions: [Instruction(timeRange: whole, layers: [LayerInstruction(track: 1)])],
        animation: Animation(layers: [Self.solid { $0.animations = [grow] }, Self.solid()])))
    let requests = try Planner.rasterRequests(
      for: project,
      indexes: ["clip": MediaIndex.clip(seconds: RationalTime(4), rate: Self.rate)])
    let (scale, wanted) = (requests.first?.scale ?? 0, 3 - 2.0 / 120)
    #expect(abs(scale - wanted) < 1e-9)
    #expect(requests.last?.scale == 1)
  }
}
