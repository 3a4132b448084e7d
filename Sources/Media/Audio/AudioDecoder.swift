/// Decodes the packets of one audio stream into runs of samples.
///
/// The samples that the container signals as encoder delay or padding are left out, and the frame's time says so.
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

  /// Sends a packet; `nil` says that there are no more. Call ``receive()`` until it needs input in between.
  public func send(_ packet: Packet?) throws { try context.send(packet) }

  /// The next run of samples, if the packets sent so far yield one.
  public func receive() throws -> DecoderOutput { try context.receive() }

  /// Returns whether the decoder reported damage in the last packet, and clears the flag.
  func takeBreak() -> Bool { context.takeBreak() }

  /// Forgets what was sent, to go on from elsewhere in the stream.
  public func flush() { context.flush() }
}
