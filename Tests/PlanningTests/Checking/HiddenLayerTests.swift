import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// Layers that no frame shows are named with the reason.
@Suite(.mayBlock) struct HiddenLayerTests {
  /// A white rectangle of 100 × 50 pixels in a frame of 640 × 360 pixels, over four seconds.
  private static func solid(
    x: Double = 320, y: Double = 180, opacity: Double = 1, scale: Double = 1,
    timeRange: TimeRange? = nil, animations: [LayerAnimation] = []
  ) -> AnimationLayer {
    AnimationLayer(
      .solid(Color(red: 255, green: 255, blue: 255)), position: LayerPoint(x: x, y: y),
      bounds: PixelRect(x: 0, y: 0, width: 100, height: 50), scale: LayerPoint(x: scale, y: scale),
      opacity: opacity, timeRange: timeRange, animations: animations)
  }

  private static func warnings(_ layers: [AnimationLayer]) throws -> [String] {
    try AnimatedClip.hiddenLayers(Animation(layers: layers)).map(\.description)
  }

  @Test func `layers that a frame shows are not named`() throws {
    let late = try TimeRange(start: RationalTime("3.9"), duration: RationalTime(10))
    let entering = LayerAnimation(
      .position,
      values: [.point(LayerPoint(x: -500, y: 0)), .point(LayerPoint(x: 100, y: 100))],
      beginTime: RationalTime(2), duration: RationalTime(1))
    let fading = LayerAnimation(
      .opacity, values: [.number(0), .number(1)], beginTime: RationalTime(3),
      duration: RationalTime(1))
    #expect(
      try Self.warnings([
        Self.solid(), Self.solid(x: -49), Self.solid(timeRange: late),
        Self.solid(x: -500, animations: [entering]), Self.solid(opacity: 0, animations: [fading]),
      ]) == [])
  }

  @Test func `a layer is named that is outside the frame, transparent, too small or too late`()
    throws
  {
    let late = try TimeRange(start: RationalTime(4), duration: RationalTime(1))
    let layer = "videoComposition.animation.layers"
    #expect(
      try Self.warnings([
        Self.solid(x: -51), Self.solid(opacity: 0), Self.solid(scale: 0),
        Self.solid(timeRange: late),
      ]) == [
        "\(layer)[0]: the layer is never visible: it is always outside the frame; move it into the frame, or remove it",
        "\(layer)[1]: the layer is never visible: it is always transparent; set an opacity above 0, or remove it",
        "\(layer)[2]: the layer is never visible: its size is always 0; set a scale other than 0, or remove it",
        "\(layer)[3]: the layer is never visible: its time range contains no frame of the video, which is 4 s long; move it to a time within the video, or remove it",
      ])
  }

  @Test func `a layer is named that its group clips or hides`() throws {
    let clip = AnimationLayer(
      .group([Self.solid(x: 300)]), position: LayerPoint(x: 0, y: 0),
      anchorPoint: LayerPoint(x: 0, y: 0),
      bounds: PixelRect(x: 0, y: 0, width: 200, height: 360), masksToBounds: true)
    let hidden = AnimationLayer(.group([Self.solid()]), opacity: 0)
    let places = try Self.warnings([clip, hidden]).map { $0.prefix { $0 != ":" } }
    let layer = "videoComposition.animation.layers"
    #expect(places == ["\(layer)[0].layers[0]", "\(layer)[1].layers[0]"])
  }
}
