import CFFmpeg

/// A file of pictures that a library other than libav decodes. A ``Demuxer`` reads it as packets of raw video.
protocol PictureFile: AnyObject {
  /// The format's short name, as in ``Demuxer/format``.
  var format: String { get }
  /// Whether the file has a single picture, without a duration.
  var isStillImage: Bool { get }
  /// The pixel layout of the pictures.
  var layout: PictureLayout { get }
  /// Reads the next picture, with its time and duration in milliseconds; `false` if there are no more.
  func read(into packet: Packet) throws -> Bool
  /// Moves to the picture that is shown at a time in milliseconds.
  func seek(to time: Int64) throws
}

/// The pixels of a file's pictures.
struct PictureLayout {
  var width: Int
  var height: Int
  var format: AVPixelFormat
  /// Primaries and transfer function, as the numbers of ITU-T H.273, which libav uses too; 2 is unspecified.
  var primaries: UInt32 = 2
  var transfer: UInt32 = 2

  /// The size of one picture without padding, in bytes.
  var byteCount: Int { Int(av_image_get_buffer_size(format, Int32(width), Int32(height), 1)) }
}

extension Demuxer {
  /// Opens a file that libav 5.1 does not decode: HEIF or animated WebP. Returns `nil` for all other files.
  ///
  /// - Throws: ``MediaError``.
  static func pictures(in source: any ByteSource, named name: String) throws -> (any PictureFile)? {
    let head = try BoxReader(source: source, name: name).bytes(at: 0, count: 32)
    if AnimatedWebP.isRecognized(head) {
      return try AnimatedWebP(try PictureBytes(of: source, named: name), named: name)
    }
    if try HEIFPicture.isRecognized(head, source: source, named: name) {
      return try HEIFPicture(try PictureBytes(of: source, named: name), named: name)
    }
    return nil
  }

  /// Creates a format context that describes one stream of raw video, but is never read from.
  static func context(
    of pictures: any PictureFile, named name: String
  ) throws -> UnsafeMutablePointer<AVFormatContext> {
    LibavLog.installed
    let context = try allocated(avformat_alloc_context(), for: name)
    guard let stream = avformat_new_stream(context, nil) else {
      avformat_free_context(context)
      throw MediaError(.outOfMemory, "cannot allocate memory", on: name)
    }
    stream.pointee.time_base = AVRational(num: 1, den: 1000)
    let (layout, parameters) = (pictures.layout, stream.pointee.codecpar)
    parameters?.pointee.codec_type = AVMEDIA_TYPE_VIDEO
    parameters?.pointee.codec_id = AV_CODEC_ID_RAWVIDEO
    parameters?.pointee.format = layout.format.rawValue
    parameters?.pointee.width = Int32(layout.width)
    parameters?.pointee.height = Int32(layout.height)
    parameters?.pointee.color_primaries = AVColorPrimaries(layout.primaries)
    parameters?.pointee.color_trc = AVColorTransferCharacteristic(layout.transfer)
    parameters?.pointee.color_range = AVCOL_RANGE_JPEG
    parameters?.pointee.field_order = AV_FIELD_PROGRESSIVE
    return context
  }
}

/// All bytes of a small file.
final class PictureBytes {
  /// The maximum size of a file of pictures, in bytes.
  private static let limit: Int64 = 512 << 20

  let buffer: UnsafeMutableRawBufferPointer

  /// Reads a file.
  ///
  /// - Throws: ``MediaError``.
  init(of source: any ByteSource, named name: String) throws {
    guard source.size <= Self.limit else {
      throw MediaError(
        .unsupportedFormat,
        "the picture file has \(source.size) bytes, but the limit is \(Self.limit)",
        on: name, remedy: "convert it to a video, or make it smaller")
    }
    buffer = .allocate(byteCount: max(Int(source.size), 1), alignment: 16)
    var filled = 0
    while filled < Int(source.size) {
      let count: Int
      do {
        count = try source.read(
          at: Int64(filled), into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      } catch {
        throw MediaError.reading(error, named: name)
      }
      guard count > 0 else { throw MediaError.truncated(name, cause: nil) }
      filled += count
    }
  }

  deinit { buffer.deallocate() }
}

extension Packet {
  /// Makes this the key packet of one picture. `fill` writes the picture's bytes.
  func setPicture(
    _ layout: PictureLayout, time: Int64, duration: Int64,
    _ fill: (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws {
    clear()
    let count = layout.byteCount
    try checked(
      av_new_packet(pointer, Int32(clamping: count)), .outOfMemory, "cannot allocate memory",
      on: "a picture")
    try fill(UnsafeMutableRawBufferPointer(start: pointer.pointee.data, count: count))
    (self.time, decodingTime, self.duration, isKey) = (time, time, duration, true)
    pointer.pointee.pos = -1
  }
}
