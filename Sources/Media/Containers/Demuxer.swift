import CFFmpeg
import Timeline

/// Reads the packets of an asset through a ``ByteSource`` and nothing else.
///
/// Only the formats of ``allowedFormats`` are recognized, libav's protocols are unreachable, and references to other
/// files are refused. Blocks; not thread-safe.
public final class Demuxer {
  /// The result of a read.
  public enum ReadResult: Hashable, Sendable {
    /// The packet now holds the next packet of the file.
    case packet
    /// There are no more packets.
    case endOfStream
  }

  /// The purpose for which an asset is opened. It decides which streams are described in full.
  public enum Use: Hashable, Sendable {
    /// Anything; all streams are described in full.
    case anything
    /// Sound, which a decoder may have to describe. Other streams are described only by the container.
    case sound
    /// Packets. Streams are described only by the container.
    case packets
  }

  /// A stream of the container.
  public struct Stream {
    /// Its index in the container.
    public let index: Int
    /// The kind of media; cover art counts as ``MediaKind/other``.
    public let mediaKind: MediaKind
    /// Seconds per tick of its packets' times.
    public let timeBase: RationalTime
    /// How it is coded.
    public let parameters: StreamParameters
    /// The average frame rate, in frames per second, if the container states one.
    public let averageFrameRate: RationalTime?
    /// The width of a pixel divided by its height, if the file states it.
    public let pixelAspectRatio: RationalTime?
    /// The nine 16.16 numbers of the display matrix, if there is one.
    let displayMatrix: [Int32]?
    /// The stream's HDR metadata in the container.
    public let hdr: HDRMetadata?
    /// The stream's Dolby Vision configuration in the container.
    let dolbyVision: DolbyVision?
  }

  /// The demuxers that may open an asset, by their libav names.
  ///
  /// None of them opens other files on its own, as playlists and image sequences do.
  public static let allowedFormats = [
    "mov", "matroska", "webm", "mpegts", "mpeg", "avi", "wav", "mp3", "aac", "flac", "ogg",
    "yuv4mpegpipe", "apng", "gif", "png_pipe", "jpeg_pipe", "webp_pipe", "bmp_pipe", "tiff_pipe",
  ]

  /// The asset's name in messages.
  public let name: String
  /// The format's short name, e.g. `mov,mp4,m4a,3gp,3g2,mj2`.
  public let format: String
  /// The streams in container order.
  public let streams: [Stream]
  let context: UnsafeMutablePointer<AVFormatContext>
  private let input: InputContext?
  /// Reads the file if libav cannot.
  private let pictures: (any PictureFile)?
  /// The packet that is read next, if it was read to see where a seek led.
  private var ahead: Packet?

  /// Opens an asset and reads enough of it to describe its streams.
  ///
  /// - Throws: ``MediaError`` with code `emptyFile`, `notMedia`, `truncated`, `unsupportedFormat` or `readFailed`.
  public init(source: any ByteSource, named name: String, for use: Use = .anything) throws {
    self.name = name
    guard source.size > 0 else {
      throw MediaError(
        .emptyFile, "the file is empty", on: name, remedy: "copy it again from its source")
    }
    pictures = try Self.pictures(in: source, named: name)
    if let pictures {
      input = nil
      context = try Self.context(of: pictures, named: name)
    } else {
      let source = try LinearSoundEntries.translated(source, named: name)
      let input = try InputContext(source: source, named: name)
      self.input = input
      context = try Self.open(input, over: source, named: name, for: use)
    }
    do {
      format = pictures?.format ?? String(cString: context.pointee.iformat.pointee.name)
      streams = try Self.describeStreams(of: context, named: name)
    } catch {
      var failed: UnsafeMutablePointer<AVFormatContext>? = context
      avformat_close_input(&failed)
      throw error
    }
  }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = context
    avformat_close_input(&context)
  }

  /// Whether the asset is a still image.
  public var isStillImage: Bool { pictures?.isStillImage ?? format.hasSuffix("_pipe") }

  /// Whether the format holds images that may be animated. With one frame, the file is a still image.
  var isImage: Bool { isStillImage || ["gif", "apng", "webp"].contains(format) }

  /// Skips the packets of all other streams.
  public func select(streams wanted: Set<Int>) {
    for stream in streams {
      context.pointee.streams[stream.index]?.pointee.discard =
        wanted.contains(stream.index) ? AVDISCARD_DEFAULT : AVDISCARD_ALL
    }
  }

  /// Reads the next packet of any selected stream, in file order.
  ///
  /// - Throws: ``MediaError`` with code `readFailed` or `damaged`.
  public func read(into packet: Packet) throws -> ReadResult {
    packet.clear()
    if let pictures {
      packet.timeBase = streams.first?.timeBase ?? packet.timeBase
      return try pictures.read(into: packet) ? .packet : .endOfStream
    }
    if let ahead {
      packet.take(from: ahead)
      self.ahead = nil
      return .packet
    }
    let status = av_read_frame(context, packet.pointer)
    // libavformat returns partial packets if it could not read all their bytes.
    try throwSourceFailure()
    if status >= 0 {
      if packet.streamIndex < streams.count {
        packet.timeBase = streams[packet.streamIndex].timeBase
      }
      return .packet
    }
    let error = LibavError(status: status)
    if error.isEndOfFile { return .endOfStream }
    throw MediaError(
      .damaged, "cannot read the media", on: name,
      remedy: "the file is damaged or cut short; copy it again", cause: error.text)
  }

  /// Seeks to a position from which `stream` can be decoded up to `timestamp`.
  ///
  /// - Parameter timestamp: in ticks of the stream: decoding time, or presentation time for Matroska.
  public func seek(stream: Int, to timestamp: Int64) throws {
    if let pictures { return try pictures.seek(to: timestamp) }
    ahead = nil
    let status = av_seek_frame(context, Int32(stream), timestamp, AVSEEK_FLAG_BACKWARD)
    try throwSourceFailure()
    try checked(
      status, .damaged, "cannot seek in the media", on: name,
      remedy: "the file's index is damaged; remux it")
  }

  /// Seeks to a timestamp, and tells whether the next packet that is read is the one of a decoding time.
  ///
  /// - Precondition: no other stream is selected.
  func seek(stream: Int, to timestamp: Int64, reaching decodingTime: Int64) throws -> Bool {
    try seek(stream: stream, to: timestamp)
    let packet = try Packet()
    do {
      guard try read(into: packet) == .packet else { return false }
    } catch let error as MediaError where error.code == .damaged {
      return false
    }
    ahead = packet
    return packet.streamIndex == stream && packet.decodingTime == decodingTime
  }

  /// Moves to a byte position, for formats without an index such as MPEG-TS.
  public func seek(toByte position: Int64) throws {
    if let pictures { return try pictures.seek(to: 0) }
    ahead = nil
    let status = av_seek_frame(context, -1, position, AVSEEK_FLAG_BYTE)
    try throwSourceFailure()
    try checked(status, .damaged, "cannot seek in the media", on: name)
  }

  private func throwSourceFailure() throws {
    if let failure = input?.takeFailure() { throw MediaError.reading(failure, named: name) }
  }
}
