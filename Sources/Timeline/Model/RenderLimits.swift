/// The limits on an output, with their reasons.
package enum RenderLimits {
  /// The width and height of a picture in pixels, as H.264 encoders accept them; the least is one macroblock.
  package static let sides = 16...16384
  /// The supported frame durations, in seconds: from a thousand frames per second to one frame in ten seconds.
  package static let frameDurations = (shortest: thousandth, longest: RationalTime(10))
  /// The same limits in frames per second.
  package static let frameRates = RationalTime.reciprocal(10)...RationalTime(1000)
  /// The default frame duration, in seconds: 30 frames per second.
  package static let usualFrameDuration = RationalTime.reciprocal(30)
  /// The maximum number of output frames, about 92 hours at 30 per second. A plan is held in memory.
  package static let frameCount: Int64 = 10_000_000
  /// The longest composition, in seconds, about 139 hours. Its sound is mixed in one piece.
  package static let longest = RationalTime(500_000)
  /// The maximum number of samples, in and out, that can be stretched with their pitch kept: Rubber Band counts them
  /// in 32 bits.
  package static let stretchedSamples = Int64(UInt32.max)
  /// The supported speeds, in seconds of the source per second. Stretched sound is no longer exact at lower speeds.
  package static let speeds = (slowest: RationalTime.reciprocal(20), fastest: RationalTime(100))
  /// The range of numbers in transforms and crops: far larger than any picture, but still exact in pixels.
  package static let coordinates = -1_000_000.0...1_000_000.0
  /// The range of the progress of a curve's control points, where 0 to 1 is the ramp itself.
  package static let progress = -10.0...10.0
  /// The greatest volume, 60 dB.
  package static let greatestVolume = 1000.0

  /// The maximum number of layers in an animation.
  package static let layerCount = 1000
  /// The maximum depth of nested layers.
  package static let layerDepth = 32
  /// The maximum number of bytes in a key of the project file, in an asset's name, and in a file's path or URL.
  package static let nameBytes = 4096
  /// The maximum number of bytes in a layer's text or path.
  package static let textLength = 100_000

  private static let thousandth = RationalTime.reciprocal(1000)
}
