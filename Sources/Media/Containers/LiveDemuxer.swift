import CFFmpeg
import Timeline

/// The formats in which a live source can send its stream.
public enum LiveContainer: Hashable, Sendable {
  /// An MPEG transport stream.
  case transportStream
  /// A Flash Video file, which is what RTMP transports.
  case flashVideo

  /// Ticks of its times per second.
  public var ticksPerSecond: Int64 { self == .transportStream ? 90_000 : 1000 }
  /// The number of bits of its times, which start again at zero.
  public var timeBits: Int { self == .transportStream ? 33 : 32 }

  /// The name of libav's demuxer.
  fileprivate var demuxer: String { self == .transportStream ? "mpegts" : "flv" }
  /// The remedy if nothing can be recorded.
  fileprivate var remedy: String {
    self == .transportStream ? "send MPEG-TS" : "send H.264 video and AAC audio"
  }
}

/// Reads the packets of a live stream as its bytes arrive. Pictures of H.264 have start codes, whatever the format is.
///
/// Like ``Demuxer``, it cannot reach libav's protocols or other files. Blocks; not thread-safe.
public final class LiveDemuxer {
  /// A stream of the source.
  public struct Stream {
    /// Its number in packets.
    public let index: Int
    /// Its packet identifier (PID).
    public let identifier: Int
    /// The kind of media.
    public let mediaKind: MediaKind
    /// Seconds per tick of its packets' times.
    public let timeBase: RationalTime
    /// How it is coded, according to the first seconds; some values may be unknown.
    public let parameters: StreamParameters
  }

  /// The maximum number of bytes that are read to find out the streams' parameters.
  private static let analysisSize: Int64 = 5 << 20
  /// The maximum time of the source that is read for that, in microseconds.
  private static let analysisTime: Int64 = 1_500_000
  private static let bufferSize = 1 << 15

  /// The source, and its last failure.
  private final class State: IOCallbacks {
    let bytes: any ByteStream
    var failure: (any Error)?

    init(_ bytes: any ByteStream) { self.bytes = bytes }

    override func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
      do {
        let count = try bytes.read(into: buffer)
        guard count > 0 else { return sheaf_averror_eof }
        position += Int64(count)
        return Int32(count)
      } catch {
        failure = error
        return sheaf_averror(EIO)
      }
    }
  }

  /// The streams that were found when the source was opened. Others may begin later.
  public let streams: [Stream]
  private let name: String
  private let state: State
  private let input: IOContext
  private let context: UnsafeMutablePointer<AVFormatContext>
  /// The converters of streams whose packets have no start codes, by stream.
  private let converters: [Int: StartCodes]

  /// Waits for enough bytes to describe the streams.
  ///
  /// - Parameter name: the source's name in errors.
  /// - Throws: ``MediaError`` with code `notMedia`, `unsupportedFormat` or `readFailed`.
  public init(_ bytes: any ByteStream, _ format: LiveContainer, named name: String) throws {
    LibavLog.installed
    self.name = name
    state = State(bytes)
    input = try IOContext(state, .input, bufferSize: Self.bufferSize, named: name)
    input.pointer.pointee.seekable = 0
    var opened: UnsafeMutablePointer<AVFormatContext>? = try allocated(
      avformat_alloc_context(), for: name)
    opened?.pointee.pb = input.pointer
    opened?.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
    opened?.pointee.probesize = Self.analysisSize
    opened?.pointee.max_analyze_duration = Self.analysisTime
    // The clock of the source is continued by `SourceClock`, for more than one turn.
    opened?.pointee.correct_ts_overflow = 0
    opened?.pointee.io_open = { _, _, _, _, _ in sheaf_averror(EACCES) }
    var options = OptionDictionary([
      "format_whitelist": format.demuxer,
      "protocol_whitelist": "none",
      "codec_whitelist": AllowedDecoders.names.sorted().joined(separator: ","),
    ])
    var status = avformat_open_input(&opened, nil, nil, &options.pointer)
    if status >= 0, let opened { status = avformat_find_stream_info(opened, nil) }
    guard status >= 0, state.failure == nil, let opened else {
      let (failure, error) = (state.failure, LibavError(status: status))
      avformat_close_input(&opened)
      if let failure { throw MediaError.reading(failure, named: name) }
      throw MediaError(
        .notMedia, "the source sends no media that can be recorded", on: name,
        remedy: format.remedy, cause: error.text)
    }
    context = opened
    var converters: [Int: StartCodes] = [:]
    streams = try (0..<Int(opened.pointee.nb_streams)).compactMap { index in
      guard let stream = opened.pointee.streams[index],
        let timeBase = RationalTime(stream.pointee.time_base), timeBase > .zero
      else { return nil }
      var parameters = try StreamParameters(copying: stream.pointee.codecpar)
      if let converter = try StartCodes(for: parameters, timeBase: stream.pointee.time_base) {
        converters[index] = converter
        parameters = try converter.parameters()
      }
      return Stream(
        index: index, identifier: Int(stream.pointee.id), mediaKind: parameters.mediaKind,
        timeBase: timeBase, parameters: parameters)
    }
    self.converters = converters
  }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = context
    avformat_close_input(&context)
  }

  /// Waits for the next packet of any stream.
  ///
  /// - Throws: ``MediaError`` with code `readFailed` or `damaged`.
  public func read(into packet: Packet) throws -> Demuxer.ReadResult {
    packet.clear()
    let status = av_read_frame(context, packet.pointer)
    if let failure = state.failure { throw MediaError.reading(failure, named: name) }
    guard status < 0 else {
      if let stream = streams.first(where: { $0.index == packet.streamIndex }) {
        packet.timeBase = stream.timeBase
      }
      if let converter = converters[packet.streamIndex] {
        guard try converter.convert(packet, named: name) else { return try read(into: packet) }
      }
      return .packet
    }
    let error = LibavError(status: status)
    if error.isEndOfFile { return .endOfStream }
    throw MediaError(
      .damaged, "cannot read the source", on: name, remedy: "check what it sends",
      cause: error.text)
  }
}
