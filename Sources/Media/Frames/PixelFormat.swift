import CFFmpeg

/// The layout of a picture's pixels, by libav's number.
public struct PixelFormat: RawRepresentable, Hashable, Sendable {
  /// libav's `AVPixelFormat`; -1 if there is none.
  public let rawValue: Int32

  /// A format by libav's number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  init(_ format: AVPixelFormat) { rawValue = format.rawValue }

  var libav: AVPixelFormat { AVPixelFormat(rawValue: rawValue) }

  /// Planar 4:2:0 of 8 bits, used for compositing and encoding.
  public static let yuv420p = PixelFormat(AV_PIX_FMT_YUV420P)
  /// Planar 4:2:0 of 10 bits in 16-bit words, used for compositing and encoding more than 8 bits.
  public static let yuv420p10 = PixelFormat(AV_PIX_FMT_YUV420P10LE)
  /// Planar 4:2:2 of 10 bits, as ProRes 422 is encoded.
  public static let yuv422p10 = PixelFormat(AV_PIX_FMT_YUV422P10LE)
  /// Planar 4:4:4 of 10 bits, as ProRes 4444 is encoded.
  public static let yuv444p10 = PixelFormat(AV_PIX_FMT_YUV444P10LE)
  /// Planar 4:2:0 of 8 bits in full range, under libav's separate name for JPEG.
  public static let yuvj420p = PixelFormat(AV_PIX_FMT_YUVJ420P)
  /// Red, green and blue, 8 bits each, packed.
  public static let rgb24 = PixelFormat(AV_PIX_FMT_RGB24)
  /// Luma only, 8 bits.
  public static let gray = PixelFormat(AV_PIX_FMT_GRAY8)
  /// Packed red, green, blue and alpha, 16 bits each.
  public static let rgba64 = PixelFormat(AV_PIX_FMT_RGBA64LE)
  /// Packed red, green, blue and alpha, 8 bits each.
  public static let rgba = PixelFormat(AV_PIX_FMT_RGBA)

  /// The format with libav's name; `nil` if libav does not know the name.
  public static func named(_ name: String) -> PixelFormat? {
    let format = av_get_pix_fmt(name)
    return format == AV_PIX_FMT_NONE ? nil : PixelFormat(format)
  }

  /// Whether pixels have alpha.
  public var hasAlpha: Bool { hasFlag(AV_PIX_FMT_FLAG_ALPHA) }

  /// Whether samples of more than a byte have their highest byte first.
  public var isBigEndian: Bool { hasFlag(AV_PIX_FMT_FLAG_BE) }

  /// Whether the samples are luma and color differences, each in its own plane.
  public var isPlanarYUV: Bool {
    hasFlag(AV_PIX_FMT_FLAG_PLANAR) && !isRGB && planes.count >= 3 && !isBigEndian
  }

  /// Whether pixels are a luma and an alpha, side by side.
  public var isGrayWithAlpha: Bool { ["ya8", "ya16le", "ya16be"].contains(name) }

  private func hasFlag(_ flag: Int32) -> Bool {
    av_pix_fmt_desc_get(libav).map { $0.pointee.flags & UInt64(flag) != 0 } ?? false
  }

  /// By how many pixels across and down chroma is sampled, as powers of 2; (0, 0) if there is no chroma.
  var chromaShifts: (across: Int, down: Int) {
    guard !isGray, !isRGB, let descriptor = av_pix_fmt_desc_get(libav) else { return (0, 0) }
    return (Int(descriptor.pointee.log2_chroma_w), Int(descriptor.pointee.log2_chroma_h))
  }

  /// How chroma is sampled, as H.264 and H.265 number it: 0 none, 1 4:2:0, 2 4:2:2, 3 4:4:4.
  var chromaFormat: UInt8 {
    guard !isGray, let descriptor = av_pix_fmt_desc_get(libav) else { return 0 }
    let (across, down) = (descriptor.pointee.log2_chroma_w, descriptor.pointee.log2_chroma_h)
    return across == 0 ? 3 : down == 0 ? 2 : 1
  }

  /// libav's name, e.g. `yuv420p`; `none` if there is none.
  public var name: String {
    av_get_pix_fmt_name(libav).map { String(cString: $0) } ?? "none"
  }

  /// Whether the format's name implies full range (the `yuvj` family).
  public var impliesFullRange: Bool { name.hasPrefix("yuvj") }

  /// The format with the same layout whose name does not imply a range.
  var withoutRange: PixelFormat {
    guard impliesFullRange else { return self }
    return PixelFormat.named(name.replacing("yuvj", with: "yuv")) ?? self
  }

  /// Bits of the first component; 0 if there is none.
  public var bitDepth: Int {
    av_pix_fmt_desc_get(libav).map { Int($0.pointee.comp.0.depth) } ?? 0
  }

  /// The number of bytes that store one sample of a plane.
  var bytesPerSample: Int { (bitDepth + 7) / 8 }

  /// Whether the samples are red, green and blue, or indexes of such colors.
  public var isRGB: Bool {
    guard let descriptor = av_pix_fmt_desc_get(libav) else { return false }
    return descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
  }

  /// Whether there is no color.
  public var isGray: Bool {
    guard let descriptor = av_pix_fmt_desc_get(libav) else { return false }
    return descriptor.pointee.nb_components < 3 && !isRGB
  }

  /// The format with a plane for each component that holds the same samples, or the nearest one.
  var planarEquivalent: PixelFormat {
    guard let descriptor = av_pix_fmt_desc_get(libav) else { return self }
    let (flags, isSwapped) = (
      descriptor.pointee.flags, UInt64(AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_FLOAT)
    )
    if isGray || flags & UInt64(AV_PIX_FMT_FLAG_PLANAR) != 0,
      planes.count == Int(descriptor.pointee.nb_components), flags & isSwapped == 0
    {
      return self
    }
    let planar = [
      AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV420P10LE,
      AV_PIX_FMT_YUV422P10LE, AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_GBRP, AV_PIX_FMT_NONE,
    ]
    return PixelFormat(
      avcodec_find_best_pix_fmt_of_list(
        planar, libav, flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 ? 1 : 0, nil))
  }

  /// The planes, with the number of bits by which the sides of each are shifted relative to the picture's.
  var planes: [(widthShift: Int, heightShift: Int)] {
    guard let descriptor = av_pix_fmt_desc_get(libav) else { return [] }
    let count = max(0, Int(av_pix_fmt_count_planes(libav)))
    return (0..<count).map { plane in
      plane == 1 || plane == 2
        ? (Int(descriptor.pointee.log2_chroma_w), Int(descriptor.pointee.log2_chroma_h)) : (0, 0)
    }
  }
}
