import CFFmpeg
import Timeline

/// Writes packets as fragmented MP4 (ISO/IEC 14496-12, 8.8): a header, and fragments that can be appended to it.
///
/// Every fragment states its own time, so that fragments can be left out, and the rest stays in place. The bytes are
/// collected in memory; the caller stores them. Add the streams, then write the packets of a fragment and call
/// ``cut()``, and so on. Blocks only for memory; not thread-safe.
public final class FragmentMuxer {
  /// The bytes of a fragment.
  public struct Piece: Hashable, Sendable {
    /// The header that all fragments need (`ftyp` and `moov`), with the first fragment.
    public let header: [UInt8]?
    /// The fragment (`moof` and `mdat`).
    public let fragment: [UInt8]
    /// The streams of which the fragment contains a frame of silence, because the header needed a packet and none was
    /// written.
    public var silentStreams: [Int] = []
  }

  /// The bytes that were written since the last cut.
  private final class Memory: IOCallbacks {
    var bytes: [UInt8] = []

    override func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
      self.bytes.append(contentsOf: bytes)
      position += Int64(bytes.count)
      return Int32(bytes.count)
    }
  }

  private static let bufferSize = 1 << 16

  private let name: String
  private let context: UnsafeMutablePointer<AVFormatContext>
  private let memory = Memory()
  private let output: IOContext
  private let scratch: Packet
  /// Whether the header has edit lists.
  private let hasEditLists: Bool
  /// The number of the first fragment.
  private let firstNumber: Int
  /// The parameters of streams that the header describes by a packet, and of which none was written yet.
  private var awaited: [Int: StreamParameters] = [:]
  /// The ends of the frames of silence by stream, in seconds.
  private var silenceEnds: [Int: RationalTime] = [:]
  /// When the first packet that was written is presented, in seconds.
  private var firstTime: RationalTime?
  private var hasStarted = false
  private var hasHeader = false

  /// Whether the header describes a codec by the first packet.
  public static func needsPacket(of codec: String) -> Bool { ["ac3", "eac3"].contains(codec) }

  /// Creates a muxer without streams.
  ///
  /// - Parameters:
  ///   - name: what errors call the output.
  ///   - hasEditLists: whether times may be negative. If so, the header depends on each stream's first time. If not,
  ///     decoding times must be at least 0, and one header suits all fragments with the same stream parameters.
  ///   - firstNumber: the number of the first fragment, from 1. Players expect that numbers increase by one.
  /// - Throws: ``MediaError`` with code `outOfMemory`.
  public init(named name: String, hasEditLists: Bool = true, firstNumber: Int = 1) throws {
    LibavLog.installed
    self.name = name
    self.firstNumber = firstNumber
    self.hasEditLists = hasEditLists
    scratch = try Packet()
    output = try IOContext(memory, .output, bufferSize: Self.bufferSize, named: name)
    var created: UnsafeMutablePointer<AVFormatContext>?
    try checked(
      avformat_alloc_output_context2(&created, av_guess_format("mp4", nil, nil), nil, nil),
      .writeFailed, "cannot set up the container", on: name)
    context = try allocated(created, for: name)
    output.pointer.pointee.seekable = 0
    context.pointee.pb = output.pointer
    context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
    context.pointee.flags &= ~AVFMT_FLAG_AUTO_BSF
    // The times are those of the recording, which begins at zero.
    context.pointee.avoid_negative_ts = 0
    context.pointee.io_open = { _, _, _, _, _ in sheaf_averror(EACCES) }
  }

  deinit { avformat_free_context(context) }

  /// Whether fragments can hold a stream. Sound in ADTS frames must be unpacked first.
  public static func canHold(_ parameters: StreamParameters) -> Bool {
    guard let format = av_guess_format("mp4", nil, nil) else { return false }
    return avformat_query_codec(
      format, parameters.pointer.pointee.codec_id, FF_COMPLIANCE_EXPERIMENTAL) == 1
  }

  /// Adds a stream and returns its number.
  ///
  /// - Parameters:
  ///   - timeBase: seconds per tick that represent the times exactly.
  ///   - keepsTag: whether the stream keeps its codec tag instead of the usual one.
  ///   - hdr: the video's HDR metadata.
  ///   - orientation: how players turn the pictures.
  public func addStream(
    _ parameters: StreamParameters, timeBase: RationalTime, keepsTag: Bool = false,
    hdr: HDRMetadata? = nil, orientation: Orientation = .identity
  ) throws -> Int {
    guard !hasStarted else {
      throw MediaError(.invalidSettings, "cannot add a stream after writing has started", on: name)
    }
    let parameters = try StreamParameters(copying: parameters)
    if !keepsTag { parameters.setMovieTag() }
    let stream = try context.addStream(parameters, timeBase: timeBase, on: name)
    try hdr?.add(to: stream, named: name)
    try orientation.add(to: stream, named: name)
    let index = Int(stream.pointee.index)
    if Self.needsPacket(of: parameters.codec) { awaited[index] = parameters }
    return index
  }

  /// Writes a packet of the current fragment. Decoding times must increase within a stream. A packet during a frame of
  /// silence is left out.
  ///
  /// - Throws: ``MediaError`` with code `writeFailed`, or `damaged` if the container rejects the packet or a stream.
  public func write(_ packet: Packet, to stream: Int) throws {
    try start()
    if let end = silenceEnds[stream], let time = packet.decodingTime,
      try packet.timeBase * time < end
    {
      return
    }
    if firstTime == nil, let time = packet.time { firstTime = try packet.timeBase * time }
    try check(
      context.write(packet, to: stream, through: scratch, on: name), "cannot write a packet")
    awaited[stream] = nil
  }

  /// Whether the current fragment has a packet of each stream that the header describes by one.
  public var isComplete: Bool { awaited.isEmpty }

  /// Ends the current fragment. Unless it ``isComplete``, it gets a frame of silence for each stream that has no packet.
  ///
  /// - Returns: its bytes; `nil` if no packet was written since the last cut.
  /// - Throws: ``MediaError`` with code `writeFailed`, or `encoderFailed` if the header needs a packet of a stream for
  ///   which silence cannot be encoded.
  public func cut() throws -> Piece? {
    guard hasStarted else { return nil }
    let silent = awaited.keys.sorted()
    try writeSilence()
    // The first flush writes only the header, which is delayed until the streams' first times are known.
    if !hasHeader { try check(av_write_frame(context, nil), "cannot write the fragment") }
    try check(av_write_frame(context, nil), "cannot write the fragment")
    avio_flush(output.pointer)
    var bytes: [UInt8] = []
    swap(&bytes, &memory.bytes)
    guard !bytes.isEmpty else { return nil }
    // The times of the next fragment are its own, not those that follow from the lengths of the samples so far.
    try check(
      av_opt_set(context.pointee.priv_data, "movflags", "+frag_discont", 0),
      "cannot write the fragment")
    guard !hasHeader else { return Piece(header: nil, fragment: bytes) }
    hasHeader = true
    let split = try Self.fragmentStart(in: bytes, named: name)
    return Piece(
      header: Array(bytes[..<split]), fragment: Array(bytes[split...]), silentStreams: silent)
  }

  /// Writes a frame of silence at the start of the fragment to each stream that the header describes by a packet if it
  /// has none.
  private func writeSilence() throws {
    for (stream, parameters) in awaited {
      let packet = try SilentFrame.packet(like: parameters)
      let time = max(0, try (firstTime ?? .zero).ticks(of: packet.timeBase, rounding: .up))
      (packet.time, packet.decodingTime, packet.isKey) = (time, time, true)
      try write(packet, to: stream)
      silenceEnds[stream] = try packet.timeBase * (time + packet.duration)
    }
  }

  private func start() throws {
    guard !hasStarted else { return }
    var options = OptionDictionary([
      "movflags": "frag_custom+empty_moov+delay_moov+default_base_moof+skip_trailer+frag_discont",
      "use_editlist": hasEditLists ? "1" : "0", "fragment_index": "\(firstNumber)",
    ])
    try check(avformat_write_header(context, &options.pointer), "cannot begin the container")
    hasStarted = true
  }

  /// The offset of the first fragment (`moof`) after the header.
  private static func fragmentStart(in bytes: [UInt8], named name: String) throws -> Int {
    let reader = BoxReader(source: MemoryByteSource(bytes), name: name)
    let boxes = try reader.boxes(in: 0..<Int64(bytes.count))
    guard let first = boxes.first(where: { $0.type == "moof" }) else {
      throw MediaError(.writeFailed, "the container has no fragment", on: name)
    }
    return Int(first.payload.lowerBound) - 8
  }

  private func check(_ status: Int32, _ problem: String) throws {
    guard status < 0 else { return }
    let error = LibavError(status: status)
    let isRefused = error.isInvalidData || error.isInvalidArgument
    throw MediaError(isRefused ? .damaged : .writeFailed, problem, on: name, cause: error.text)
  }
}
