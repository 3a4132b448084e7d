import CFFmpeg
import Timeline

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
    /// The average number of pictures per second, if it is known.
    let averageFrameRate: RationalTime?
    /// The width of a pixel divided by its height, if the source states it.
    let pixelAspectRatio: RationalTime?
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
    /// Places the packets of RTP; `nil` for other formats.
    var places: LivePlaces?

    init(_ bytes: any ByteStream) { self.bytes = bytes }

    /// Drops the reports that libav wants to send to the sender of RTP.
    override func write(_ bytes: UnsafeRawBufferPointer) -> Int32 { Int32(bytes.count) }

    override func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
      do {
        let count = try bytes.read(into: buffer)
        guard count > 0 else { return sheaf_averror_eof }
        places?.note(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: position)
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
  /// - Parameters:
  ///   - bytes: the bytes of the source. For RTP, the first read returns the description of the streams, and each
  ///     further one a packet.
  ///   - name: the source's name in errors.
  ///   - start: the start of a stream of RTP, in ticks of the format; called once its first packet was read.
  /// - Throws: ``MediaError`` with code `notMedia`, `unsupportedFormat` or `readFailed`.
  public init(
    _ bytes: any ByteStream, _ format: LiveContainer, named name: String,
    startingAt start: @escaping (_ stream: Int) -> Int64 = { _ in 0 }
  ) throws {
    LibavLog.installed
    self.name = name
    let state = State(bytes)
    self.state = state
    input = try IOContext(
      state, format == .rtp ? .packets : .input, bufferSize: Self.bufferSize, named: name)
    input.pointer.pointee.seekable = 0
    let description = try format == .rtp ? Self.description(state, named: name) : nil
    var opened: UnsafeMutablePointer<AVFormatContext>? = try allocated(
      avformat_alloc_context(), for: name)
    opened?.pointee.pb = input.pointer
    if let description { opened?.pointee.pb = description.pointer }
    state.places = LivePlaces(format, startingAt: start)
    opened?.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
    opened?.pointee.probesize = Self.analysisSize
    opened?.pointee.max_analyze_duration = Self.analysisTime
    // The clock of the source is continued by `SourceClock`, for more than one turn.
    opened?.pointee.correct_ts_overflow = 0
    opened?.pointee.io_open = { _, _, _, _, _ in sheaf_averror(EACCES) }
    var options = OptionDictionary(
      [
        "format_whitelist": format.demuxer,
        "protocol_whitelist": "none",
        "codec_whitelist": AllowedDecoders.names.sorted().joined(separator: ","),
      ].merging(format.options) { _, own in own })
    let demuxer = format == .rtp ? av_find_input_format(format.demuxer) : nil
    var status = avformat_open_input(&opened, nil, demuxer, &options.pointer)
    withExtendedLifetime(description) {}
    opened?.pointee.pb = input.pointer
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
    let common = try RationalTime(1, format.clock.ticksPerSecond)
    var converters: [Int: StartCodes] = [:]
    streams = try (0..<Int(opened.pointee.nb_streams)).compactMap { index in
      guard let stream = opened.pointee.streams[index],
        var timeBase = RationalTime(stream.pointee.time_base), timeBase > .zero
      else { return nil }
      var parameters = try StreamParameters(copying: stream.pointee.codecpar)
      if let converter = try StartCodes(for: parameters, timeBase: stream.pointee.time_base) {
        converters[index] = converter
        parameters = try converter.parameters()
      }
      if state.places?.add(stream.pointee, at: index) != nil { timeBase = common }
      return Stream(
        index: index, identifier: Int(stream.pointee.id), mediaKind: parameters.mediaKind,
        timeBase: timeBase, parameters: parameters,
        averageFrameRate: RationalTime(positive: stream.pointee.avg_frame_rate)
          ?? RationalTime(positive: stream.pointee.r_frame_rate),
        pixelAspectRatio: RationalTime(positive: stream.pointee.sample_aspect_ratio))
    }
    self.converters = converters
  }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = context
    avformat_close_input(&context)
  }

  /// Reads the description of the streams of RTP, which is the first that the source sends.
  private static func description(_ state: State, named name: String) throws -> IOContext {
    var buffer = [UInt8](repeating: 0, count: longestDescription)
    let count = buffer.withUnsafeMutableBytes { state.read(into: $0) }
    if let failure = state.failure { throw MediaError.reading(failure, named: name) }
    let description = Description(Array(buffer.prefix(Int(max(count, 0)))))
    return try IOContext(description, .input, bufferSize: bufferSize, named: name)
  }

  /// The maximum number of bytes of a description.
  private static let longestDescription = 1 << 17

  /// The bytes of a description.
  private final class Description: IOCallbacks {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    override func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
      guard !rest.isEmpty else { return sheaf_averror_eof }
      let part = rest.prefix(buffer.count)
      part.withUnsafeBytes { buffer.copyMemory(from: $0) }
      rest = rest.dropFirst(part.count)
      return Int32(part.count)
    }
  }

  /// Waits for the next packet of any stream.
  ///
  /// - Throws: ``MediaError`` with code `readFailed` or `damaged`.
  public func read(into packet: Packet) throws -> Demuxer.ReadResult {
    while true {
      packet.clear()
      let status = av_read_frame(context, packet.pointer)
      if let failure = state.failure { throw MediaError.reading(failure, named: name) }
      guard status >= 0 else {
        let error = LibavError(status: status)
        guard error.isEndOfFile else {
          throw MediaError(
            .damaged, "cannot read the source", on: name, remedy: "check what it sends",
            cause: error.text)
        }
        return .endOfStream
      }
      state.places?.place(packet)
      if let stream = streams.first(where: { $0.index == packet.streamIndex }) {
        packet.timeBase = stream.timeBase
      }
      if let converter = converters[packet.streamIndex] {
        guard try converter.convert(packet, named: name) else { continue }
      }
      return .packet
    }
  }
}
