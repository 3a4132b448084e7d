import CFFmpeg
import Timeline

/// Reads the format that the packets of a live stream state themselves: parameter sets, and the size of pictures.
///
/// Not thread-safe.
public final class PacketFormat {
  private let codec: String
  private let layout: UnitLayout?
  private let parser: UnsafeMutablePointer<AVCodecParserContext>?
  private let context: UnsafeMutablePointer<AVCodecContext>

  /// Creates a reader for the packets of a video stream with start codes.
  ///
  /// - Throws: ``MediaError`` with code `outOfMemory`.
  public init(_ parameters: StreamParameters) throws {
    codec = parameters.codec
    layout = UnitLayout(codec: codec, parameterSets: [])
    context = try allocated(avcodec_alloc_context3(nil), for: codec)
    context.pointee.codec_id = parameters.pointer.pointee.codec_id
    context.pointee.codec_type = parameters.pointer.pointee.codec_type
    parser = av_parser_init(Int32(bitPattern: parameters.pointer.pointee.codec_id.rawValue))
    parser?.pointee.flags |= Int32(PARSER_FLAG_COMPLETE_FRAMES)
  }

  deinit {
    if let parser { av_parser_close(parser) }
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&context)
  }

  /// Whether decoding needs parameter sets that packets may carry.
  public var hasParameterSets: Bool { layout != nil }

  /// Whether a packet of H.264 or H.265 resets the decoder, so that decoding can start with it.
  public func isReset(by packet: Packet) -> Bool { layout?.isReset(packet) ?? false }

  /// Whether a packet contains a part of a picture. Packets of codecs other than H.264 and H.265 do if they are not empty.
  public func hasPicture(in packet: Packet) -> Bool {
    packet.withUnsafeBytes { bytes in
      guard let layout else { return !bytes.isEmpty }
      return layout.leadingUnits(in: bytes).last.map {
        layout.isPicture(layout.kind(bytes[$0.lowerBound]))
      } ?? false
    }
  }

  /// The parameter sets in a packet of H.264 or H.265, each after a start code, in order; `nil` if it lacks one of the
  /// required kinds.
  public func parameterSets(in packet: Packet) -> [UInt8]? {
    guard let layout else { return nil }
    return packet.withUnsafeBytes { bytes in
      let units = layout.units(in: bytes).filter { layout.isParameterSet(bytes[$0.lowerBound]) }
      let kinds = Set(units.map { layout.kind(bytes[$0.lowerBound]) })
      guard kinds.isSuperset(of: layout.required) else { return nil }
      return units.flatMap { [0, 0, 0, 1] + bytes[$0] }
    }
  }

  /// The size of a keyframe's picture, in pixels; `nil` if its packet does not state it.
  public func size(of packet: Packet) -> PixelSize? {
    guard let parser else { return nil }
    var (data, count): (UnsafeMutablePointer<UInt8>?, Int32) = (nil, 0)
    _ = packet.withUnsafeBytes { bytes in
      av_parser_parse2(
        parser, context, &data, &count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
        Int32(bytes.count), packet.time ?? sheaf_nopts_value,
        packet.decodingTime ?? sheaf_nopts_value, 0)
    }
    let (width, height) =
      parser.pointee.width > 0
      ? (parser.pointee.width, parser.pointee.height)
      : (context.pointee.width, context.pointee.height)
    return width > 0 && height > 0 ? PixelSize(width: Int(width), height: Int(height)) : nil
  }
}
