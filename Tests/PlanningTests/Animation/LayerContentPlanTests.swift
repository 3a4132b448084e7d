import Crypto
import Planning
import Support
import Testing
import Timeline

/// Layer content is requested at its size, and placed in its bounds according to its kind.
@Suite(.mayBlock) struct LayerContentPlanTests {
  private static func widened(
    _ content: LayerContent, _ gravity: ContentsGravity = .resize
  ) throws -> LayerSlice {
    let wide = PixelRect(x: 0, y: 0, width: 200, height: 50)
    let layer = AnimationLayer(
      content, position: LayerPoint(x: 0, y: 0), anchorPoint: LayerPoint(x: 0, y: 0),
      bounds: AnimatedClip.box,
      animations: [
        LayerAnimation(
          .bounds, values: [.rect(wide), .rect(wide)], duration: RationalTime(4), fillMode: .both)
      ], contentsGravity: gravity)
    return try #require(
      AnimatedClip.overlays(AnimatedClip.plan(Animation(layers: [layer]))).first?.first)
  }

  private static let text = LayerContent.text(TextContent("a", font: LayerFont(size: 20)))

  @Test(arguments: [
    (ContentsGravity.resize, AffineTransform(a: 2, b: 0, c: 0, d: 1, tx: 0, ty: 0)),
    (.resizeAspect, AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 50, ty: 0)),
    (.resizeAspectFill, AffineTransform(a: 2, b: 0, c: 0, d: 2, tx: 0, ty: -25)),
    (.center, AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 50, ty: 0)),
    (.left, AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)),
  ])
  func `content is placed in animated bounds according to its gravity`(
    gravity: ContentsGravity, map: AffineTransform
  ) throws {
    #expect(try Self.widened(Self.text, gravity).transform.finalValue == map)
  }

  @Test func `a path is the same in any bounds`() throws {
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
    // Sharp corners have no size to keep.
    let sharp = ShapeContent(.rectangle(cornerRadius: 0), fill: .black)
    #expect(try Self.widened(.shape(sharp)).corners == nil)
  }

  @Test func `a timecode shows the digits of each frame`() throws {
    let timecode = TimecodeContent(
      start: "01:00:00:00", font: LayerFont(size: 20))
    let plan = try AnimatedClip.plan(
      Animation(layers: [AnimationLayer(.timecode(timecode), position: LayerPoint(x: 100, y: 100))])
    )
    let clock = try #require(TimecodeClock(frameRate: AnimatedClip.rate, dropsFrames: false))
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
          // The middle is at (100, 100), so the text begins 55 pixels to the left.
          let (left, wanted) = (crop + (map?.tx ?? 0), 45 + 10 * Double(place))
          #expect(left == wanted)
        }
      }
    }
  }

  @Test func `the requested scale is the largest visible one`() throws {
    let grow = LayerAnimation(
      .scale, values: [.point(LayerPoint(x: 1, y: 1)), .point(LayerPoint(x: 3, y: 2))],
      duration: RationalTime(4), fillMode: .both)
    let requests = try AnimatedClip.rasterRequests(
      Animation(layers: [AnimatedClip.solid { $0.animations = [grow] }, AnimatedClip.solid()]))
    let (scale, wanted) = (requests.first?.scale ?? 0, 3 - 2.0 / 120)
    #expect(abs(scale - wanted) < 1e-9)
    #expect(requests.last?.scale == 1)
  }
}
