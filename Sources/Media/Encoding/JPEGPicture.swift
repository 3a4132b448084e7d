import CFFmpeg
import Timeline

/// A JPEG of a picture.
public enum JPEGPicture {
  /// The quantizer scale of libav's encoder, from 2 (best) to 31, for small pictures that people recognize a file by.
  public static let smallQuality = 4
  /// The best quality that libav's encoder has.
  public static let bestQuality = 2

  /// The bytes of a JPEG with a picture, at most `widthLimit` pixels wide and with square pixels.
  ///
  /// - Parameter quality: the quantizer scale of libav's encoder, from 2 (best) to 31.
  /// - Throws: ``MediaError``.
  public static func encode(
    _ frame: Frame, widthLimit: Int, quality: Int = smallQuality
  ) throws -> [UInt8] {
    let quality = Int32(clamping: quality)
    let size = size(of: frame, widthLimit: widthLimit)
    let picture = try scaled(frame, to: size)
    let encoder = try EncoderContext("mjpeg", subject: "a JPEG", options: [:]) { context in
      context.pointee.width = Int32(size.width)
      context.pointee.height = Int32(size.height)
      context.pointee.pix_fmt = AV_PIX_FMT_YUVJ420P
      context.pointee.color_range = AVCOL_RANGE_JPEG
      context.pointee.time_base = AVRational(num: 1, den: 25)
      context.pointee.thread_count = 1
      context.pointee.flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_QSCALE
      context.pointee.global_quality = FF_QP2LAMBDA * quality
    }
    picture.pointer.pointee.quality = FF_QP2LAMBDA * quality
    try checked(
      avcodec_send_frame(encoder.pointer, picture.pointer), .encoderFailed,
      "cannot encode a picture", on: "a JPEG")
    let packet = try Packet()
    try checked(
      avcodec_receive_packet(encoder.pointer, packet.pointer), .encoderFailed,
      "cannot encode a picture", on: "a JPEG")
    let bytes = UnsafeBufferPointer(
      start: packet.pointer.pointee.data, count: Int(packet.pointer.pointee.size))
    return Array(bytes)
  }

  /// The size at which a picture has square pixels and is not wider than the limit; even if it is another one than the
  /// picture has.
  private static func size(of frame: Frame, widthLimit: Int) -> PixelSize {
    let ratio = frame.pixelAspectRatio?.seconds ?? 1
    let isUsable = ratio > 0.1 && ratio < 10
    let width = Double(frame.width) * (isUsable ? ratio : 1)
    let scale = min(1, Double(widthLimit) / width)
    if width == Double(frame.width), scale == 1 {
      return PixelSize(width: frame.width, height: frame.height)
    }
    func even(_ length: Double) -> Int { max(2, Int((length / 2).rounded()) * 2) }
    return PixelSize(
      width: min(even(width * scale), max(2, widthLimit)),
      height: even(Double(frame.height) * scale))
  }

  /// The picture in full range with the matrix that JPEG files have.
  private static func scaled(_ frame: Frame, to size: PixelSize) throws -> Frame {
    let result = try Frame(width: size.width, height: size.height, pixelFormat: .yuvj420p)
    guard
      let context = sws_getContext(
        Int32(frame.width), Int32(frame.height), frame.pixelFormat.libav, Int32(size.width),
        Int32(size.height), AV_PIX_FMT_YUVJ420P, SWS_AREA | SWS_BITEXACT | SWS_ACCURATE_RND, nil,
        nil, nil)
    else {
      throw MediaError(.conversionFailed, "cannot convert a picture", on: frame.pixelFormat.name)
    }
    defer { sws_freeContext(context) }
    let color = frame.color
    let matrix = ColorTags(
      primaries: nil, transfer: nil,
      matrix: color.matrix ?? Scaler.assumedMatrix(height: frame.height), range: nil)
    let isFull = frame.pixelFormat.impliesFullRange || color.range == "pc"
    let unity: Int32 = 1 << 16
    // Formats without a matrix, such as RGB, return an error and need no matrix.
    sws_setColorspaceDetails(
      context, sws_getCoefficients(Int32(matrix.libavMatrix.rawValue)), isFull ? 1 : 0,
      sws_getCoefficients(SWS_CS_ITU601), 1, 0, unity, unity)
    try checked(
      sws_scale_frame(context, result.pointer, frame.pointer), .conversionFailed,
      "cannot convert a picture", on: frame.pixelFormat.name)
    result.pointer.pointee.color_range = AVCOL_RANGE_JPEG
    result.time = 0
    return result
  }
}
