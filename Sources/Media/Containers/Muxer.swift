import CFFmpeg
import Crypto
import Timeline

/// Writes packets into a container in the order given. The same packets yield the same bytes on any host.
///
/// Add the streams, call ``start()``, write the packets, and call ``finish()``. A muxer that is released unfinished
/// leaves an unplayable file, which its owner removes. Blocks; not thread-safe.
public final class Muxer {
  private enum Stage { case adding, writing, finished }

  /// The file's name in messages.
  public let path: String
  private let context: UnsafeMutablePointer<AVFormatContext>
  private let output: OutputContext
  private let options: [String: String]
  /// Whether the file may refer to another one.
  private let refers: Bool
  /// The number of bytes of packets that were offered as references.
  private var referencedCount: Int64 = 0
  private let scratch: Packet
  private var stage = Stage.adding
  /// The clean apertures of the streams that have one. libavformat does not write them.
  private var cleanApertures: [(stream: Int, box: CleanApertureBox)] = []

  /// Creates the file, or empties it, for a container format by its libav name, e.g. `mp4`, `mov`, `ipod`, `matroska`.
  ///
  /// - Parameters:
  ///   - options: the muxer's private options by name, e.g. `moov_size`, `movflags`.
  ///   - writesBehind: whether another thread writes to the file, so that the next packets can be made meanwhile. A
  ///     failure is then reported for a later packet, or at the end.
  ///   - referenced: the SHA-256 of a file that has some of the packets. The new file refers to it for these
  ///     (`ReferenceTable`), and has only the other bytes.
  /// - Throws: ``MediaError`` with code `writeFailed` or `invalidSettings`.
  public init(
    path: String, format: String, options: [String: String] = [:], writesBehind: Bool = false,
    referringTo referenced: Digest? = nil
  ) throws {
    LibavLog.installed
    self.path = path
    self.options = options
    refers = referenced != nil
    scratch = try Packet()
    guard let kind = av_guess_format(format, nil, nil) else {
      throw MediaError(.invalidSettings, "unknown container format \(format)", on: path)
    }
    output = try OutputContext(
      path: path, writesBehind: writesBehind, referringTo: referenced)
    var created: UnsafeMutablePointer<AVFormatContext>?
    try checked(
      avformat_alloc_output_context2(&created, kind, nil, nil), .writeFailed,
      "cannot set up the container", on: path)
    context = try allocated(created, for: path)
    context.pointee.pb = output.pointer
    context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
    context.pointee.flags &= ~AVFMT_FLAG_AUTO_BSF
    // Matroska records an encoder's delay. Shifting every stream to make room for it would delay the pictures.
    if format == "matroska" || format == "webm" { context.pointee.avoid_negative_ts = 0 }
    context.pointee.io_open = { _, _, _, _, _ in sheaf_averror(EACCES) }
  }

  deinit { avformat_free_context(context) }

  /// Adds a stream and returns its number in this muxer.
  ///
  /// - Parameters:
  ///   - timeBase: seconds per tick that represent the times exactly; the container may choose a finer one.
  ///   - frameRate: frames per second of video, for containers that record it.
  ///   - hdr: the video's HDR metadata, for containers that record it.
  ///   - orientation: how players turn the pictures, for containers that record it.
  ///   - cleanAperture: in coded pixels; QuickTime and MP4 record it.
  public func addStream(
    _ parameters: StreamParameters, timeBase: RationalTime, frameRate: RationalTime? = nil,
    hdr: HDRMetadata? = nil, orientation: Orientation = .identity,
    cleanAperture: PixelRect? = nil
  ) throws -> Int {
    guard stage == .adding else {
      throw MediaError(.invalidSettings, "cannot add a stream", on: path)
    }
    let stream = try context.addStream(parameters, timeBase: timeBase, on: path)
    if let rate = frameRate?.fraction {
      stream.pointee.avg_frame_rate = rate
      stream.pointee.r_frame_rate = rate
    }
    try hdr?.add(to: stream, named: path)
    try orientation.add(to: stream, named: path)
    let number = Int(stream.pointee.index)
    guard cleanAperture == nil || !refers else {
      throw MediaError(
        .invalidSettings, "a file that refers to another one cannot have a clean aperture",
        on: path)
    }
    if let cleanAperture, isMovie,
      let box = CleanApertureBox(cleanAperture, of: parameters.size)
    {
      cleanApertures.append((number, box))
    }
    return number
  }

  /// Sets the file's metadata for one of libavformat's keys, e.g. `title` or `creation_time`.
  public func setMetadata(_ text: String, for key: String) {
    av_dict_set(&context.pointee.metadata, key, text, 0)
  }

  /// Adds a chapter; `start` and `end` are in microseconds. Chapters must be added in order of time.
  public func addChapter(_ title: String, from start: Int64, to end: Int64) throws {
    guard stage == .adding,
      let memory = av_mallocz(MemoryLayout<AVChapter>.size)?
        .assumingMemoryBound(to: AVChapter.self)
    else { throw MediaError(.invalidSettings, "cannot add a chapter", on: path) }
    memory.pointee.id = Int64(context.pointee.nb_chapters) + 1
    memory.pointee.time_base = AVRational(num: 1, den: 1_000_000)
    memory.pointee.start = start
    memory.pointee.end = end
    av_dict_set(&memory.pointee.metadata, "title", title, 0)
    let count = Int(context.pointee.nb_chapters) + 1
    guard
      let grown = av_realloc(
        context.pointee.chapters, count * MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride)
    else {
      av_dict_free(&memory.pointee.metadata)
      av_free(memory)
      throw MediaError(.outOfMemory, "cannot allocate memory", on: path)
    }
    let chapters = grown.assumingMemoryBound(to: UnsafeMutablePointer<AVChapter>?.self)
    chapters[count - 1] = memory
    context.pointee.chapters = chapters
    context.pointee.nb_chapters = UInt32(count)
  }

  /// Writes the container's header; no stream can be added afterwards.
  ///
  /// - Throws: ``MediaError`` with code `writeFailed`, `invalidSettings`, or `damaged` if the container rejects a
  ///   stream's parameters.
  public func start() throws {
    guard stage == .adding else { return }
    var dictionary = OptionDictionary(
      movieTimescale.map { options.merging(["movie_timescale": "\($0)"]) { own, _ in own } }
        ?? options)
    try check(avformat_write_header(context, &dictionary.pointer), "cannot write the file")
    guard dictionary.remaining.isEmpty else {
      throw MediaError(
        .invalidSettings, "the container does not have these options", on: path,
        cause: dictionary.remaining.joined(separator: ", "))
    }
    stage = .writing
  }

  /// Whether the container is QuickTime or based on it.
  private var isMovie: Bool {
    ["mp4", "mov", "ipod"].contains(String(cString: context.pointee.oformat.pointee.name))
  }

  /// For MP4 and QuickTime, the ticks per second of the edit lists, in which the length of every stream is a whole
  /// number. The default of 1000 would truncate lengths.
  private var movieTimescale: Int64? {
    guard isMovie else { return nil }
    var scale: Int64 = 1
    for index in 0..<Int(context.pointee.nb_streams) {
      guard let stream = context.pointee.streams[index] else { return nil }
      let ticks = Int64(stream.pointee.time_base.den)
      scale = scale / av_gcd(scale, ticks) * ticks
      guard scale <= Int64(Int32.max) else { return nil }
    }
    return scale >= 1000 ? scale : scale * ((999 + scale) / scale)
  }

  /// Writes a packet. Its bytes are shared, and its times are converted from its own time base.
  ///
  /// Decoding times must increase within a stream. The packets of all streams are written in the order given.
  ///
  /// - Throws: ``MediaError`` with code `writeFailed`, or `damaged` if the container rejects the packet.
  public func write(_ packet: Packet, to stream: Int) throws {
    guard stage == .writing else {
      throw MediaError(.invalidSettings, "cannot write a packet", on: path)
    }
    try check(
      context.write(packet, to: stream, through: scratch, on: path), "cannot write a packet")
  }

  /// Writes a packet that was made from one of the referenced file, and refers to the bytes at its end that are the same
  /// in the file, if the container takes them as they are.
  ///
  /// - Parameters:
  ///   - original: the packet of the referenced file.
  ///   - file: the referenced file. Its bytes are compared, because demuxers need not return packets as they are stored.
  /// - Throws: as ``write(_:to:)``, or an error of `file`.
  public func write(
    _ packet: Packet, to stream: Int, madeFrom original: Packet, in file: any ByteSource
  ) throws {
    let shared = packet.countOfLastBytes(sharedWith: original)
    let offset = original.position + Int64(original.count - shared)
    guard original.position >= 0, shared >= Self.leastReference,
      // Packets of a file may share bytes, but a table must not refer to more than there are.
      referencedCount + Int64(shared) <= file.size,
      try packet.ends(withBytesOf: file, from: offset, count: shared)
    else { return try write(packet, to: stream) }
    referencedCount += Int64(shared)
    try packet.withUnsafeBytes { bytes in
      try output.referring(to: bytes, ownCount: bytes.count - shared, at: offset) {
        try write(packet, to: stream)
      }
    }
  }

  /// The minimum number of bytes to refer to. An entry in the table takes 16.
  private static let leastReference = 64

  /// Begins to bring what was written so far to the disk, so that little is left for ``finish(synchronized:)``.
  public func startBringingToDisk() { output.startBringingToDisk() }

  /// Writes the container's index and flushes the file to the operating system, or with `synchronized` to the disk.
  ///
  /// - Returns: the content of the file, if it reads back as it was written.
  @discardableResult
  public func finish(synchronized: Bool = false) throws -> WrittenContent {
    guard stage == .writing else {
      throw MediaError(.invalidSettings, "cannot finish a file that is not being written", on: path)
    }
    stage = .finished
    try check(av_write_trailer(context), "cannot finish the file")
    if !cleanApertures.isEmpty { try writeCleanApertures() }
    avio_flush(output.pointer)
    output.finishReferences()
    guard output.flush(synchronized: synchronized) else {
      throw writeFailed("cannot write the file")
    }
    return output.content
  }

  /// Adds the clean apertures to the finished index: at its end, or in the `free` box after it.
  private func writeCleanApertures() throws {
    let failure = MediaError(
      .writeFailed, "cannot write the clean aperture", on: path,
      remedy: "remove \"cleanAperture\", or choose a preset other than passthrough")
    guard output.flush(synchronized: false) else {
      throw writeFailed("cannot write the clean aperture")
    }
    let reader = BoxReader(source: try FileByteSource(path: path), name: path)
    let boxes = try reader.boxes(in: 0..<reader.source.size)
    guard let place = boxes.firstIndex(where: { $0.type == "moov" }) else { throw failure }
    let (start, end) = (boxes[place].payload.lowerBound - 8, boxes[place].payload.upperBound)
    var movie = output.read(at: start, count: Int(end - start))
    for (stream, box) in cleanApertures {
      guard let inserted = box.inserted(into: movie, track: stream) else { throw failure }
      movie = inserted
    }
    let growth = Int64(movie.count) - (end - start)
    if place + 1 < boxes.count {
      let room = boxes[place + 1].payload
      guard boxes[place + 1].type == "free", Int64(room.count) >= growth,
        room.lowerBound == end + 8
      else { throw failure }
      movie += CleanApertureBox.number(UInt32(Int64(room.count) + 8 - growth))
      movie += Array("free".utf8)
    }
    guard output.overwrite(movie, at: start) else {
      throw writeFailed("cannot write the clean aperture")
    }
  }

  /// Throws if the file cannot be written, or if the container rejects its input.
  private func check(_ status: Int32, _ problem: String) throws {
    guard status < 0 else { return }
    let error = LibavError(status: status)
    guard output.failure == nil else { throw writeFailed(problem) }
    let isRefused = error.isInvalidData || error.isInvalidArgument
    throw MediaError(isRefused ? .damaged : .writeFailed, problem, on: path, cause: error.text)
  }

  /// The error for a file that cannot be written.
  private func writeFailed(_ problem: String) -> MediaError {
    var (remedy, number): (String?, Int32?) = ("check its folder's free space and permissions", nil)
    var cause: String?
    switch output.failure {
    case .system(let error): number = error
    case .changed:
      (remedy, cause) = (nil, "the bytes read back from the disk differ from what was written")
    case nil: break
    }
    return MediaError(
      .writeFailed, problem, on: path, remedy: remedy, cause: cause, systemError: number)
  }
}
