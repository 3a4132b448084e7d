import CFFmpeg
import Timeline

extension Demuxer {
  /// The most bytes that are read to recognize the format.
  private static let probeSize: Int64 = 1 << 20
  /// The most bytes that are read to learn the streams' parameters.
  private static let analysisSize: Int64 = 5 << 20
  /// The most streams that an asset may have.
  private static let maximumStreams = 64

  static func open(
    _ input: InputContext, over source: any ByteSource, named name: String, for use: Use
  ) throws -> UnsafeMutablePointer<AVFormatContext> {
    LibavLog.installed
    let decoders = try analysisDecoders(for: source, named: name)
    _ = LibavLog.takeLastError()
    let format = try recognize(input, source, name)
    var context: UnsafeMutablePointer<AVFormatContext>? = try allocated(
      avformat_alloc_context(), for: name)
    context?.pointee.pb = input.pointer
    context?.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
    context?.pointee.probesize = analysisSize
    context?.pointee.format_probesize = Int32(probeSize)
    context?.pointee.max_streams = Int32(maximumStreams)
    context?.pointee.io_open = { _, _, _, _, _ in sheaf_averror(EACCES) }
    var options = OptionDictionary([
      "format_whitelist": allowedFormats.joined(separator: ","), "protocol_whitelist": "none",
      // libav may have to decode a stream to analyze it.
      "codec_whitelist": decoders.sorted().joined(separator: ","),
      // APNG frames of 10 ms or less last 100 ms, as GIF frames do in libav, and both do in browsers.
      "max_fps": "99", "default_fps": "10",
    ])
    // If this fails, libav frees the context but not the input, which has its own owner.
    let opened = avformat_open_input(&context, nil, format, &options.pointer)
    if let failure = input.takeFailure() {
      avformat_close_input(&context)
      throw MediaError.reading(failure, named: name)
    }
    guard opened >= 0, let context else {
      throw try openFailure(LibavError(status: opened), source, name)
    }
    let declared = DeclaredColors(of: context)
    restrictAnalysis(of: context, to: use)
    let analyzed = avformat_find_stream_info(context, nil)
    let failure = input.takeFailure()
    guard failure == nil, analyzed >= 0 else {
      var failed: UnsafeMutablePointer<AVFormatContext>? = context
      avformat_close_input(&failed)
      if let failure { throw MediaError.reading(failure, named: name) }
      throw try openFailure(LibavError(status: analyzed), source, name)
    }
    declared.complete(context)
    return context
  }

  /// The format of a file, which libav would otherwise recognize while it opens the file, without saying in its error
  /// whether the format is one that it may not open.
  private static func recognize(
    _ input: InputContext, _ source: any ByteSource, _ name: String
  ) throws -> UnsafePointer<AVInputFormat> {
    var format: UnsafePointer<AVInputFormat>?
    let status = av_probe_input_buffer2(
      input.pointer, &format, nil, nil, 0, UInt32(probeSize))
    if let failure = input.takeFailure() { throw MediaError.reading(failure, named: name) }
    guard status >= 0, let format else {
      throw try openFailure(LibavError(status: status), source, name)
    }
    // A format may have several names.
    let names = String(cString: format.pointee.name).split(separator: ",").map(String.init)
    guard names.contains(where: { allowedFormats.contains($0) }) else {
      throw MediaError(
        .unsupportedFormat, "the media format is not supported", on: name,
        remedy: "convert it to MP4, MOV, MKV, WebM or MPEG-TS",
        cause: "the format is \(names.joined(separator: " or "))")
    }
    return format
  }

  /// Keeps libavformat from decoding several pictures of each stream whose description is not needed.
  ///
  /// MP4, MOV and Matroska state the parameters of streams. In other containers, libavformat has to decode the streams to
  /// find them, so nothing is restricted.
  private static func restrictAnalysis(
    of context: UnsafeMutablePointer<AVFormatContext>, to use: Use
  ) {
    let format = String(cString: context.pointee.iformat.pointee.name)
    guard format.hasPrefix("mov,") || format.hasPrefix("matroska,") else { return }
    let decoders: Set<String>
    switch use {
    case .anything: return
    case .sound: decoders = AllowedDecoders.sound
    case .packets: decoders = ["none"]
    }
    av_opt_set(context, "codec_whitelist", decoders.sorted().joined(separator: ","), 0)
  }

  /// The decoders that libavformat may use to analyze streams.
  ///
  /// Only the chunks of PNG files are hidden from it (see ``PNGSource``). In other containers it would decode PNG pictures
  /// with all their chunks.
  private static func analysisDecoders(
    for source: any ByteSource, named name: String
  ) throws(MediaError) -> Set<String> {
    do {
      return try PNGSource.isRecognized(source)
        ? AllowedDecoders.names : AllowedDecoders.names.subtracting(["png", "apng"])
    } catch {
      throw MediaError.reading(error, named: name)
    }
  }

  static func describeStreams(
    of context: UnsafeMutablePointer<AVFormatContext>, named name: String
  ) throws -> [Stream] {
    try (0..<Int(context.pointee.nb_streams)).map { index in
      guard let stream = context.pointee.streams[index] else {
        throw MediaError(.damaged, "cannot read the streams", on: name)
      }
      let parameters = try StreamParameters(copying: stream.pointee.codecpar)
      parameters.addAlpha(ofStreamWith: stream.pointee.metadata)
      let isAttached = stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
      guard let timeBase = RationalTime(stream.pointee.time_base), timeBase > .zero else {
        throw MediaError(.damaged, "a stream has no time base", on: name)
      }
      return Stream(
        index: index, mediaKind: isAttached ? .other : parameters.mediaKind, timeBase: timeBase,
        parameters: parameters,
        averageFrameRate: RationalTime(positive: stream.pointee.avg_frame_rate),
        pixelAspectRatio: RationalTime(
          positive: av_guess_sample_aspect_ratio(context, stream, nil)),
        displayMatrix: displayMatrix(of: stream), hdr: HDRMetadata(of: stream),
        dolbyVision: DolbyVision(of: stream))
    }
  }

  private static func displayMatrix(of stream: UnsafeMutablePointer<AVStream>) -> [Int32]? {
    var size = 0
    guard
      let data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size), size >= 36
    else { return nil }
    let bytes = UnsafeRawBufferPointer(start: data, count: 36)
    return (0..<9).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) }
  }

  private static func openFailure(
    _ error: LibavError, _ source: any ByteSource, _ name: String
  ) throws(MediaError) -> MediaError {
    if try BoxReader(source: source, name: name).isCutShort() {
      return MediaError(
        .truncated, "the media file is cut short", on: name,
        remedy: "its index is missing; copy it again, or repair it", cause: error.text)
    }
    return MediaError(
      .notMedia, "the file is not a supported media file", on: name,
      remedy:
        "use an MP4, MOV, MKV, WebM or MPEG-TS file, or a PNG, JPEG, HEIC, AVIF, WebP, GIF, BMP or TIFF image",
      cause: error.text)
  }
}
