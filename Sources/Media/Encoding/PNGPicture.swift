import CFFmpeg
import Timeline

/// A PNG of a picture in sRGB.
public enum PNGPicture {
  /// The bytes of a PNG with a picture of the pixel format ``PixelFormat/rgb24``, whose colors are sRGB.
  ///
  /// - Throws: ``MediaError``.
  public static func encode(_ frame: Frame) throws -> [UInt8] {
    let subject = "a PNG"
    let picture = try Frame(sharing: frame)
    // The encoder writes the chunk sRGB for these tags.
    picture.setColor(
      ColorTags(primaries: "bt709", transfer: "iec61966-2-1", matrix: nil, range: "pc"))
    picture.time = 0
    let encoder = try EncoderContext("png", subject: subject, options: ["pred": "mixed"]) {
      $0.pointee.width = Int32(clamping: frame.width)
      $0.pointee.height = Int32(clamping: frame.height)
      $0.pointee.pix_fmt = frame.pixelFormat.libav
      $0.pointee.time_base = AVRational(num: 1, den: 25)
      $0.pointee.thread_count = 1
      $0.pointee.flags |= AV_CODEC_FLAG_BITEXACT
    }
    try checked(
      avcodec_send_frame(encoder.pointer, picture.pointer), .encoderFailed,
      "cannot encode a picture", on: subject)
    let packet = try Packet()
    try checked(
      avcodec_receive_packet(encoder.pointer, packet.pointer), .encoderFailed,
      "cannot encode a picture", on: subject)
    return Array(
      UnsafeBufferPointer(
        start: packet.pointer.pointee.data, count: Int(packet.pointer.pointee.size)))
  }
}
