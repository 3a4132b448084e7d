import Crypto
import Planning
import Support
import Testing
import Timeline

/// Each slice contains the layers that its frames show, and no others.
@Suite(.mayBlock) struct AnimationPlanTests {
  @Test func `a layer at rest is one step, and its picture one source`() throws {
    let plan = try AnimatedClip.plan(
      Animation(layers: [AnimatedClip.solid { $0.position = LayerPoint(x: 20, y: 30) }]))
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

  @Test func `straight motion is one ramp per slice`() throws {
    let plan = try AnimatedClip.plan(
      Animation(layers: [
        AnimatedClip.solid {
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

  @Test func `an eased rotation is exact on every frame`() throws {
    let animation = LayerAnimation(
      .rotation, values: [.number(0), .number(90)], timingFunction: .easeInEaseOut,
      duration: RationalTime(4), fillMode: .both)
    let plan = try AnimatedClip.plan(
      Animation(layers: [AnimatedClip.solid { $0.animations = [animation] }]))
    for segment in plan.segments {
      let layer = try #require(segment.slices.first?.overlay?.layers.first)
      for frame in segment.first..<segment.end {
        let time = try segment.frameDuration * Int64(frame)
        let progress = TimingFunction.easeInEaseOut.progress(after: Double(frame) / 120)
        let shown = try #require(layer.transform.value(at: time))
        let angle = progress * Double.pi / 2
        // The sine and cosine of a rotation, from the tangent of half its angle.
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
    let plan = try AnimatedClip.plan(Animation(layers: [AnimatedClip.solid()]), isPlainAfter: true)
    for slice in plan.segments.flatMap(\.slices) {
      #expect((slice.overlay != nil) == (slice.first < 60))
    }
  }

  @Test func `layers are ordered by z position, and then with later ones on top`() throws {
    let layers = [(1.0, 10.0), (0, 20), (0, 30), (-1, 40)].map { z, x in
      AnimatedClip.solid {
        $0.zPosition = z
        $0.position = LayerPoint(x: x, y: 0)
      }
    }
    let plan = try AnimatedClip.plan(Animation(layers: layers))
    let shown = try #require(AnimatedClip.overlays(plan).first)
    #expect(shown.map { $0.transform.finalValue?.tx } == [10, 30, 20, 40])
  }

  @Test func `a layer shows in its time range, and slices outside it omit the layer`() throws {
    let range = try TimeRange(start: RationalTime(1), duration: RationalTime(1))
    let plan = try AnimatedClip.plan(
      Animation(layers: [AnimatedClip.solid { $0.timeRange = range }]))
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

  @Test func `a layer outside the frame is omitted`() throws {
    let plan = try AnimatedClip.plan(
      Animation(layers: [AnimatedClip.solid { $0.position = LayerPoint(x: 640, y: 0) }]))
    #expect(plan.segments.allSatisfy { $0.sources.count == 1 && $0.slices[0].overlay == nil })
  }

  @Test func `the video as a layer is composited separately unless it is unchanged at the bottom`()
    throws
  {
    let plain = try AnimatedClip.plan(
      Animation(layers: [AnimationLayer(.video), AnimatedClip.solid()]))
    #expect(AnimatedClip.overlays(plain).allSatisfy { $0.count == 1 })
    let moved = try AnimatedClip.plan(
      Animation(layers: [
        AnimatedClip.solid(),
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

  @Test func `a tree that is a track is placed by its layer instruction`() throws {
    var placed = LayerInstruction(track: 7)
    placed.opacity = Ramps([.step(at: .zero, value: 0.5)])
    placed.transform = Ramps([
      .step(at: .zero, value: AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 5, ty: 6))
    ])
    placed.crop = Ramps([.step(at: .zero, value: PixelRect(x: 0, y: 0, width: 50, height: 50))])
    let plan = try AnimatedClip.plan(
      Animation(layers: [AnimatedClip.solid()], track: 7),
      layers: [LayerInstruction(track: 1), placed])
    let slice = try #require(plan.segments.first?.slices.first)
    #expect(slice.overlay == nil)
    #expect(slice.layers.map(\.isSmooth) == [nil, true])
    #expect(slice.layers[1].opacity.finalValue == 0.5)
    #expect(slice.layers[1].transform.finalValue?.tx == 5)
    #expect(slice.layers[1].clips?.count == 1)
  }

  @Test func `the tree is scaled with the render scale`() throws {
    let plan = try AnimatedClip.plan(
      Animation(layers: [AnimatedClip.solid { $0.position = LayerPoint(x: 20, y: 30) }]),
      renderScale: 0.5)
    let layer = try #require(AnimatedClip.overlays(plan).first?.first)
    #expect(
      layer.transform.finalValue == AffineTransform(a: 0.5, b: 0, c: 0, d: 0.5, tx: 10, ty: 15))
  }
}
