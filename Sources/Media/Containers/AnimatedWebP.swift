import CFFmpeg
import CWebP

/// An animated WebP file, decoded by libwebp. Each frame is the whole canvas with its alpha.
///
/// It plays once; its loop count is ignored. A frame of 10 ms or less lasts 100 ms, as in browsers.
final class AnimatedWebP: PictureFile {
  let format = "webp"
  let isStillImage = false
  let layout: PictureLayout
  private let name: String
  /// The file's bytes, which the decoder refers to.
  private let bytes: PictureBytes
  private let decoder: OpaquePointer
  /// The start of each frame, and the end of the last one, in milliseconds.
  private let times: [Int64]
  /// The number of the frame that the decoder returns next.
  private var next = 0

  /// The maximum number of frames in a file: half an hour at 30 a second.
  private static let frameLimit = 54_000

  /// Whether the first bytes of a file are those of an animated WebP file.
  static func isRecognized(_ head: [UInt8]) -> Bool {
    head.count > 20 && head.starts(with: "RIFF".utf8) && head[8...].starts(with: "WEBPVP8X".utf8)
      && head[20] & 0x02 != 0
  }

  /// Opens a file.
  ///
  /// - Throws: ``MediaError``.
  init(_ bytes: PictureBytes, named name: String) throws {
    self.name = name
    self.bytes = bytes
    var data = WebPData(
      bytes: UnsafePointer(bytes.buffer.assumingMemoryBound(to: UInt8.self).baseAddress),
      size: bytes.buffer.count)
    (layout, times) = try Self.description(of: &data, named: name)
    var options = WebPAnimDecoderOptions()
    guard WebPAnimDecoderOptionsInit(&options) != 0 else { throw Self.damaged(name) }
    options.color_mode = MODE_RGBA
    options.use_threads = 0
    guard let decoder = WebPAnimDecoderNew(&data, &options) else { throw Self.damaged(name) }
    self.decoder = decoder
  }

  deinit { WebPAnimDecoderDelete(decoder) }

  func read(into packet: Packet) throws -> Bool {
    guard next + 1 < times.count else { return false }
    let picture = try decodeNext()
    try packet.setPicture(layout, time: times[next - 1], duration: times[next] - times[next - 1]) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: picture, count: $0.count))
    }
    return true
  }

  func seek(to time: Int64) throws {
    let wanted = max(times.dropLast().lastIndex { $0 <= time } ?? 0, 0)
    if wanted < next {
      WebPAnimDecoderReset(decoder)
      next = 0
    }
    // A frame is drawn on top of the previous ones.
    while next < wanted { _ = try decodeNext() }
  }

  private func decodeNext() throws -> UnsafeMutablePointer<UInt8> {
    var picture: UnsafeMutablePointer<UInt8>?
    var end: Int32 = 0
    guard WebPAnimDecoderGetNext(decoder, &picture, &end) != 0, let picture else {
      throw MediaError(
        .damaged, "cannot decode frame \(next)", on: name,
        remedy: "the file is damaged or cut short; copy it again")
    }
    next += 1
    return picture
  }

  /// Reads the canvas and the frames' times without decoding anything.
  private static func description(
    of data: inout WebPData, named name: String
  ) throws -> (PictureLayout, [Int64]) {
    guard let demuxer = WebPDemux(&data) else { throw damaged(name) }
    defer { WebPDemuxDelete(demuxer) }
    let layout = PictureLayout(
      width: Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH)),
      height: Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT)), format: AV_PIX_FMT_RGBA)
    try AllowedDecoders.checkSize(width: layout.width, height: layout.height, on: name)
    var times: [Int64] = [0]
    var frame = WebPIterator()
    defer { WebPDemuxReleaseIterator(&frame) }
    var isThere = WebPDemuxGetFrame(demuxer, 1, &frame) != 0
    while isThere {
      guard times.count <= frameLimit else {
        throw MediaError(
          .unsupportedFormat, "the animation has more than \(frameLimit) frames", on: name,
          remedy: "convert it to a video")
      }
      times.append((times.last ?? 0) + (frame.duration <= 10 ? 100 : Int64(frame.duration)))
      isThere = WebPDemuxNextFrame(&frame) != 0
    }
    guard times.count > 1 else { throw damaged(name) }
    return (layout, times)
  }

  private static func damaged(_ name: String) -> MediaError {
    MediaError(
      .damaged, "the animation is damaged or cut short", on: name,
      remedy: "copy it again from its source")
  }
}
