import CFFmpeg
import Timeline

/// The decoders that may be used, and the size of the pictures that they may decode.
enum AllowedDecoders {
  /// The decoders that may open a stream, by their libav names: those for the output of cameras, editors and the web.
  ///
  /// libavcodec has about 400 more, few of which are well maintained.
  static let names = sound.union(video + pictures)

  /// Those of them that decode sound.
  static let sound = Set(audio + pcm.map { "pcm_\($0)" })

  private static let video = [
    "dnxhd", "dvvideo", "ffv1", "h264", "hevc", "huffyuv", "libdav1d", "libvpx", "libvpx-vp9",
    "mjpeg", "mpeg1video", "mpeg2video", "mpeg4", "prores", "qtrle", "rawvideo", "theora",
    "utvideo", "v210", "vp8", "vp9",
  ]

  private static let pictures = ["apng", "bmp", "gif", "png", "tiff", "webp"]

  private static let audio = [
    "aac", "aac_latm", "ac3", "alac", "eac3", "flac", "mp2", "mp2float", "mp3", "mp3float", "opus",
    "s302m", "vorbis",
  ]

  private static let pcm = [
    "alaw", "f32be", "f32le", "f64be", "f64le", "mulaw", "s16be", "s16le", "s24be", "s24le",
    "s32be", "s32le", "s8", "u8",
  ]

  /// The decoder for a stream; `nil` if there is none or it is not allowed.
  static func decoder(for parameters: StreamParameters) -> UnsafePointer<AVCodec>? {
    let found =
      parameters.alphaDecoder.flatMap { avcodec_find_decoder_by_name($0) }
      ?? avcodec_find_decoder(parameters.pointer.pointee.codec_id)
    guard let found, names.contains(String(cString: found.pointee.name)) else { return nil }
    return found
  }

  /// The reason why a stream cannot be decoded; `nil` if it can.
  static func refusal(of parameters: StreamParameters) -> String? {
    guard decoder(for: parameters) != nil else {
      return "uses the codec \(parameters.codec), which cannot be decoded"
    }
    let size = parameters.size
    guard Int64(size.width) * Int64(size.height) <= maximumPixels else {
      return "has pictures of \(size), which are too large"
    }
    return nil
  }

  static func unsupported(_ codec: String, _ name: String, cause: String? = nil) -> MediaError {
    MediaError(
      .unsupportedCodec, "the codec \(codec) cannot be decoded", on: name,
      remedy: "convert the file to H.264 and AAC", cause: cause)
  }

  /// The most pixels that a picture may have: four times 8K.
  static let maximumPixels: Int64 = 1 << 27

  /// Throws if pictures exceed the size limit for decoding.
  static func checkSize(width: Int, height: Int, on name: String) throws(MediaError) {
    guard Int64(width) * Int64(height) <= maximumPixels else {
      throw MediaError(
        .unsupportedCodec, "pictures of \(width) × \(height) pixels are too large",
        on: name, remedy: "scale them down to \(maximumPixels) pixels or fewer")
    }
  }
}
