/// Decodes the packets of one audio stream into runs of samples.
///
/// Samples that the container signals as encoder delay or padding are dropped, and the frame's time accounts for it.
public final class AudioDecoder {
  private let context: DecoderContext

  /// Opens a decoder for `stream` of the asset called `name`.
  ///
  /// - Throws: ``MediaError`` with code `unsupportedCodec`.
  public init(_ stream: Demuxer.Stream, named name: String) throws {
    guard stream.mediaKind == .audio else {
      throw MediaError(
        .noAudioStream, "the stream is not audio", on: "\(name), stream \(stream.index)")
    }
    context = try DecoderContext(stream, named: name)
  }

  /// Sends a packet, or `nil` at the end of the stream. After each packet, call ``receive()`` until it needs input.
  public func send(_ packet: Packet?) throws { try context.send(packet) }

  /// The next run of samples, if the packets sent so far yield one.
  public func receive() throws -> DecoderOutput { try context.receive() }

  /// Returns whether the decoder reported damage in the last packet, and clears the flag.
  func takeBreak() -> Bool { context.takeBreak() }

  /// Discards what was sent, to continue elsewhere in the stream.
  public func flush() { context.flush() }
}
