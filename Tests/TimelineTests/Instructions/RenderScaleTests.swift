import Support
import Testing
import Timeline

@Suite(.mayBlock) struct RenderScaleTests {
  private static func videoComposition(
    _ width: Int, _ height: Int, scale: Double, layer: LayerInstruction = LayerInstruction(track: 1)
  ) throws -> VideoComposition {
    VideoComposition(
      renderSize: PixelSize(width: width, height: height), renderScale: scale,
      frameDuration: try RationalTime(1, 30),
      instructions: [
        Instruction(
          timeRange: try TimeRange(start: RationalTime(1), duration: RationalTime(9)),
          layers: [layer])
      ])
  }

  @Test(
    arguments: [
      (1920, 1080, 0.5, 960, 540), (1920, 1080, 1, 1920, 1080), (1920, 1080, 2, 3840, 2160),
      (1920, 1080, 1.0 / 3, 640, 360), (320, 180, 0.25, 80, 46), (320, 180, 0.1, 32, 18),
    ] as [(Int, Int, Double, Int, Int)])
  func `the output is the render size times the scale, rounded to even`(
    width: Int, height: Int, scale: Double, outputWidth: Int, outputHeight: Int
  ) throws {
    let videoComposition = try Self.videoComposition(width, height, scale: scale)
    #expect(videoComposition.outputSize == PixelSize(width: outputWidth, height: outputHeight))
    #expect(
      videoComposition.outputTransform
        == AffineTransform(
          a: Double(outputWidth) / Double(width), b: 0, c: 0,
          d: Double(outputHeight) / Double(height), tx: 0, ty: 0))
  }

  @Test(
    arguments: [
      (1920, 1080, 1, "640x480", 640, 360), (1080, 1920, 1, "1280x720", 720, 1280),
      (1918, 1080, 1, "1280x720", 1278, 720), (3840, 2160, 0.25, "1280x720", 960, 540),
      (3840, 2160, 0.5, "1280x720", 1280, 720), (640, 360, 1, "1280x720", 640, 360),
      (7680, 4320, 1, "highestQuality", 7680, 4320),
    ] as [(Int, Int, Double, String, Int, Int)])
  func `an output that exceeds the preset's size is scaled down`(
    width: Int, height: Int, scale: Double, preset: String, outputWidth: Int, outputHeight: Int
  ) throws {
    let fitted = try Self.videoComposition(width, height, scale: scale)
      .fitted(into: #require(ExportPreset.named(preset)))
    #expect(fitted.outputSize == PixelSize(width: outputWidth, height: outputHeight))
    #expect(fitted.renderSize == PixelSize(width: width, height: height))
  }

  @Test func `layers remain in units of the render size`() throws {
    let second = try TimeRange(start: RationalTime(2), duration: RationalTime(1))
    var layer = LayerInstruction(track: 1)
    try layer.setTransformRamp(
      fromStart: .identity, toEnd: AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 320, ty: 40),
      timeRange: second, timingFunction: .easeIn)
    let output = try Self.videoComposition(320, 180, scale: 0.5, layer: layer).atOutputSize
    #expect(output.renderScale == 1)
    #expect(output.renderSize == PixelSize(width: 160, height: 90))
    let half = AffineTransform(a: 0.5, b: 0, c: 0, d: 0.5, tx: 0, ty: 0)
    #expect(
      output.instructions[0].layers[0].transform
        == Ramps([
          .step(at: RationalTime(1), value: half),
          .ramp(
            timeRange: second, from: half,
            to: AffineTransform(a: 0, b: 0.5, c: -0.5, d: 0, tx: 160, ty: 20),
            timingFunction: .easeIn),
        ]))
  }
}
