import Crypto
import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// The layers of a group move, scale, fade and are clipped with it.
@Suite(.mayBlock) struct LayerGroupPlanTests {
  @Test func `a group moves, scales, fades and clips its layers`() throws {
    var group = AnimationLayer(
      .group([
        AnimatedClip.solid {
          $0.position = LayerPoint(x: 10, y: 0)
          $0.opacity = 0.5
        }
      ]),
      position: LayerPoint(x: 100, y: 50), anchorPoint: LayerPoint(x: 0, y: 0),
      bounds: PixelRect(x: 0, y: 0, width: 60, height: 60))
    group.scale = LayerPoint(x: 2, y: 2)
    group.opacity = 0.5
    group.masksToBounds = true
    let plan = try AnimatedClip.plan(Animation(layers: [group]))
    let layer = try #require(AnimatedClip.overlays(plan).first?.first)
    #expect(
      layer.transform.finalValue == AffineTransform(a: 2, b: 0, c: 0, d: 2, tx: 120, ty: 50))
    #expect(layer.opacity.finalValue == 0.25)
    let clip = try #require(layer.clips?.first)
    #expect(clip.rect.finalValue == PixelRect(x: 0, y: 0, width: 60, height: 60))
    #expect(
      clip.transform.finalValue == AffineTransform(a: 2, b: 0, c: 0, d: 2, tx: 100, ty: 50))
  }

  /// A solid of the given size in groups, each scaled by a factor.
  private static func nested(_ factors: [Double], side: Double) -> AnimationLayer {
    var layer = AnimatedClip.solid()
    layer.bounds = PixelRect(x: 0, y: 0, width: side, height: side)
    for factor in factors {
      var group = AnimationLayer(.group([layer]))
      group.scale = LayerPoint(x: factor, y: factor)
      layer = group
    }
    return layer
  }

  @Test(arguments: [([1e6, 1e6, 1e6], 10.0), ([1e6], 1e6)])
  func `the finding for a layer that its groups make too large has its path`(
    factors: [Double], side: Double
  ) throws {
    let tree = Animation(layers: [Self.nested(factors, side: side)])
    let error = #expect(throws: ProjectError.self) { try AnimatedClip.plan(tree) }
    let path = Array(repeating: "layers[0]", count: factors.count + 1).joined(separator: ".")
    #expect(
      error?.lines == [
        "videoComposition.animation.\(path): the layer is too large or too far away after the transforms of its groups; use smaller scales and positions for it and its groups"
      ])
    #expect(throws: Never.self) {
      try AnimatedClip.plan(Animation(layers: [Self.nested(factors.map { _ in 10 }, side: side)]))
    }
  }

  @Test func `a faded group whose layers overlap is composited separately`() throws {
    func overlay(_ x: Double, opacity: Double = 0.5, inner: Double = 0.5) throws -> [LayerSlice] {
      var group = AnimationLayer(
        .group([
          AnimatedClip.solid(),
          AnimatedClip.solid {
            $0.position = LayerPoint(x: x, y: 0)
            $0.opacity = inner
          },
        ]))
      group.opacity = opacity
      return try #require(
        AnimatedClip.overlays(AnimatedClip.plan(Animation(layers: [group]))).first)
    }
    let faded = try overlay(99)
    #expect(faded.map(\.source) == [LayerSlice.compositedGroup])
    #expect(faded.first?.opacity.finalValue == 0.5)
    #expect(faded.first?.sublayers?.map(\.source) == [1, 1])
    #expect(faded.first?.sublayers?.map { $0.opacity.finalValue ?? 1 } == [0.5, 1])
    // If they lie side by side, or if only one of them fades, each is composited individually.
    #expect(try overlay(100).map { $0.opacity.finalValue } == [0.25, 0.5])
    #expect(try overlay(50, opacity: 1).map { $0.opacity.finalValue } == [0.5, nil])
  }

  @Test func `the video in a faded group is composited with what lies over it`() throws {
    var group = AnimationLayer(.group([AnimationLayer(.video), AnimatedClip.solid()]))
    group.opacity = 0.5
    let plan = try AnimatedClip.plan(Animation(layers: [group]))
    let overlay = try #require(plan.segments.first?.slices.first?.overlay)
    #expect(!overlay.isOverVideo)
    #expect(overlay.layers.map(\.source) == [LayerSlice.compositedGroup])
    #expect(overlay.layers[0].sublayers?.map(\.source) == [1, LayerSlice.compositedVideo])
  }

  @Test func `a fading track of a tree whose layers overlap fades as one`() throws {
    var placed = LayerInstruction(track: 7)
    placed.opacity = Ramps([.step(at: .zero, value: 0.5)])
    let plan = try AnimatedClip.plan(
      Animation(layers: [AnimatedClip.solid(), AnimatedClip.solid()], track: 7),
      layers: [LayerInstruction(track: 1), placed])
    let layer = try #require(plan.segments.first?.slices.first?.layers.last)
    #expect(layer.opacity.finalValue == 0.5 && layer.sublayers?.count == 2)
  }
}
