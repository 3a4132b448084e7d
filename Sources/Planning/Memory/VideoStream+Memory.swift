import Timeline

extension VideoStream {
  /// The bytes that a decoder of the stream takes for its pictures. Decoders have one thread.
  package var decodingBytes: Double {
    // Decoders keep motion vectors beside pictures, and lines around them.
    size.pixels * bytesPerPixel * Double(decodedPictures) * 1.2
  }

  /// The number of pictures that are held: the decoder's references, the one that it decodes, the one that is shown, and
  /// those that de-interlacing needs.
  private var decodedPictures: Int {
    let references =
      switch codec {
      case "h264", "hevc": referenceLimit
      case "av1", "vp9": 8
      case "prores", "dnxhd", "mjpeg", "png", "rawvideo", "v210", "webp", "gif", "bmp", "tiff": 0
      default: 2
      }
    return references + 2 + (["tt", "bb", "tb", "bt"].contains(fieldOrder) ? 4 : 0)
  }

  /// The most references of H.264 and H.265 at this size: as many as level 5.1 of H.264 has room for (184,320
  /// macroblocks, table A-1), but from 6 (H.265, A.4.2) to 16.
  private var referenceLimit: Int { Int(min(max(184_320 * 256 / max(size.pixels, 1), 6), 16)) }

  /// The bytes of a decoded pixel, by libav's name of the pixel format.
  private var bytesPerPixel: Double {
    func has(_ parts: String...) -> Bool { parts.contains { pixelFormat.contains($0) } }
    // Packed formats with 16 bits or more for each of their samples.
    if has("64", "f32", "48") { return 8 }
    let samples =
      if has("yuva444", "gbrap", "rgba", "argb", "bgra", "abgr", "rgb0", "0rgb", "bgr0", "0bgr") {
        4.0
      } else if has("444", "rgb", "bgr", "gbr", "pal8", "yuva422") {
        3.0
      } else if has("yuva420") {
        2.5
      } else if has("422", "ya8", "ya16") {
        2.0
      } else if has("gray", "mono") {
        1.0
      } else {
        1.5
      }
    let isDeep = has(
      "p9", "p10", "p12", "p14", "p16", "p010", "gray9", "gray1", "ya16", "x2rgb10", "y210")
    return samples * (isDeep ? 2 : 1)
  }
}
