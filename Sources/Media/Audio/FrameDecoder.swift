import Timeline

/// Decodes packets without a container, one after another.
public final class FrameDecoder {
  private let decoder: AudioDecoder
  private let resampler: Resampler
  private let timeBase: RationalTime
  private var position: Int64 = 0

  /// Opens a decoder that delivers samples at the stream's own rate.
  ///
  /// - Throws: ``MediaError`` with code `unsupportedCodec`.
  public init(_ parameters: StreamParameters, channels: Int, named name: String) throws {
    timeBase = try RationalTime(1, Int64(parameters.sampleRate))
    decoder = try AudioDecoder(
      Demuxer.Stream(
        index: 0, mediaKind: .audio, timeBase: timeBase, parameters: parameters,
        averageFrameRate: nil, pixelAspectRatio: nil, displayMatrix: nil, hdr: nil,
        dolbyVision: nil), named: name)
    resampler = try Resampler(rate: parameters.sampleRate, channels: channels, named: name)
  }

  /// The samples of the next packet, per channel; `nil` if it is damaged.
  public func decode(_ bytes: [UInt8]) throws -> [[Float]]? {
    do {
      return try samples(of: bytes)
    } catch let error as MediaError where error.code == .damaged {
      return nil
    }
  }

  private func samples(of bytes: [UInt8]) throws -> [[Float]]? {
    let packet = try Packet(bytes: bytes)
    (packet.timeBase, packet.time) = (timeBase, position)
    try decoder.send(packet)
    var samples: [[Float]]?
    while case .frame(let frame) = try decoder.receive() {
      guard !frame.isCorrupt else { return nil }
      let run = try resampler.convert(frame)
      samples = samples.map { zip($0, run).map { $0 + $1 } } ?? run
    }
    position += Int64(samples?.first?.count ?? 0)
    return decoder.takeBreak() ? nil : samples
  }
}
