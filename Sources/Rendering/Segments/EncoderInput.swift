import Media
import Planning
import Timeline

/// The pictures of a segment that its encoder receives: composited, and in the encoder's pixel format.
struct EncoderInput {
  let settings: VideoEncoderSettings
  private let composer: FrameSource
  private let converter: Scaler

  /// Creates the pictures of a validated segment.
  ///
  /// - Parameters:
  ///   - damage: records the damaged frames that are shown.
  ///   - kept: the readers of earlier segments.
  init(
    _ segment: SegmentDescription, damage: DamageLog = DamageLog(),
    kept: KeptReaders = KeptReaders(),
    open: @escaping (SourceStream) throws -> any ByteSource
  ) throws {
    composer = try segment.composer(damage: damage, kept: kept, open: open)
    settings = VideoEncoderSettings(segment)
    converter = Scaler(
      to: Scaler.Output(
        size: segment.renderSize, pixelFormat: settings.pixelFormat, keepsRange: true,
        chroma: settings.chromaSite))
  }

  /// The output frame with a number, in ascending order; valid until the next call unless its memory is shared.
  func frame(_ number: Int) throws -> Frame {
    let frame = try composer.frame(number)
    return settings.chromaSite == .left && frame.pixelFormat == settings.pixelFormat
      ? frame : try converter.scale(frame)
  }
}
