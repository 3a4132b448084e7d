/// Decodes the packets of one video stream into pictures, in presentation order.
///
/// A frame's ``Frame/time`` is libav's best-effort timestamp in ticks of the stream.
public final class VideoDecoder {
  private let context: DecoderContext

  /// Opens a decoder for `stream` of the asset called `name`.
  ///
  /// - Parameters:
  ///   - pictures: the pool for the memory of its pictures; `nil` for the decoder's own.
  ///   - x264Build: ``VideoStream/x264Build``, if decoding does not start with the stream's first packet.
  /// - Throws: ``MediaError`` with code `unsupportedCodec`.
  public init(
    _ stream: Demuxer.Stream, named name: String, pictures: PicturePool? = nil,
    x264Build: Int? = nil
  ) throws {
    guard stream.mediaKind == .video else {
      throw MediaError(
        .noVideoStream, "the stream is not video", on: "\(name), stream \(stream.index)")
    }
    context = try DecoderContext(stream, named: name, pictures: pictures, x264Build: x264Build)
  }

  /// Sends a packet, or `nil` at the end of the stream. After each packet, call ``receive()`` until it needs input.
  public func send(_ packet: Packet?) throws { try context.send(packet) }

  /// Sends a packet whose picture need not be decoded if no other picture refers to it.
  func send(unwanted packet: Packet) throws { try context.send(packet, isUnwanted: true) }

  /// Returns whether the numbers of H.264 pictures have had a gap since the last call, and clears the flag.
  func takeGap() -> Bool { context.takeGap() }

  /// The next picture, if the packets sent so far yield one.
  public func receive() throws -> DecoderOutput { try context.receive() }

  /// Returns whether the decoder reported damage in the last packet, and clears the flag.
  func takeBreak() -> Bool { context.takeBreak() }

  /// Whether each frame is coded independently.
  var isIntraOnly: Bool { context.isIntraOnly }

  /// Discards what was sent, to continue elsewhere in the stream.
  public func flush() { context.flush() }
}
