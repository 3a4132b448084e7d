import CFFmpeg
import Timeline

/// Converts pictures of any size, pixel format and range to one size and pixel layout.
///
/// Bicubic, with bit-exact and accurately rounded arithmetic: the same picture yields the same bytes on any host. Not
/// thread-safe.
public final class Scaler {
  /// The format that every picture is converted to.
  public struct Output: Hashable, Sendable {
    /// Width and height in pixels.
    public var size: PixelSize
    /// The layout of the pixels; in limited range unless it is RGB, or the source's range is kept.
    public var pixelFormat: PixelFormat
    /// The matrix by libav's name, e.g. `bt709`; `nil` keeps the source's.
    public var matrix: String?
    /// Whether full range is kept.
    public var keepsRange: Bool
    /// The chroma location of the output; `nil` keeps that of the source.
    public var chroma: ChromaSite?

    /// Creates an output.
    public init(
      size: PixelSize, pixelFormat: PixelFormat = .yuv420p, matrix: String? = nil,
      keepsRange: Bool = false, chroma: ChromaSite? = .left
    ) {
      self.size = size
      self.pixelFormat = pixelFormat
      self.matrix = matrix
      self.keepsRange = keepsRange
      self.chroma = chroma
    }
  }

  /// The properties that decide a conversion, together with the output.
  private struct Source: Hashable {
    var size: PixelSize
    var format: PixelFormat
    var isFullRange: Bool
    var matrix: AVColorSpace.RawValue
    /// The assumed chroma location before and after.
    var chroma: ChromaSite
    var target: ChromaSite
  }

  /// The format that pictures are converted to.
  public let output: Output
  private var contexts: [Source: OpaquePointer] = [:]
  private static let flags =
    SWS_BICUBIC | SWS_BITEXACT | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP | SWS_FULL_CHR_H_INT

  /// A scaler to `output`.
  public init(to output: Output) {
    LibavLog.installed
    self.output = output
  }

  deinit {
    for context in contexts.values { sws_freeContext(context) }
  }

  /// The matrix of an untagged picture: BT.709 from 720 rows on, BT.601 below, as players assume.
  public static func assumedMatrix(height: Int) -> String { height >= 720 ? "bt709" : "smpte170m" }

  /// The picture at the output's size and format; the same picture, not a copy, if it already has them.
  ///
  /// - Throws: ``MediaError`` with code `conversionFailed` or `outOfMemory`.
  public func scale(_ frame: Frame) throws -> Frame {
    var source = describe(frame)
    let (site, target) = (source.chroma, source.target)
    let matrix = targetMatrix(for: source)
    let isFullRange = output.keepsRange && source.isFullRange && !source.format.isRGB
    if source.size == output.size, source.isFullRange == isFullRange,
      source.format == output.pixelFormat
        || isFullRange && source.format.withoutRange == output.pixelFormat,
      source.matrix == matrix || source.format.isRGB
    {
      return try frame.movingChroma(from: site, to: target)
    }
    var picture = frame
    var isMoved = false
    if keepsSamples(source) {
      // libav's scaler copies such chroma, regardless of the declared location.
      (source.chroma, source.target) = (.left, .left)
      if source.format.isPlanarYUV, source.format.bitDepth > output.pixelFormat.bitDepth {
        (picture, isMoved) = (try frame.movingChroma(from: site, to: target), true)
      }
    } else {
      isMoved = true
    }
    let result = try Frame(
      width: output.size.width, height: output.size.height, pixelFormat: output.pixelFormat)
    try checked(
      av_frame_copy_props(result.pointer, picture.pointer), .outOfMemory, "cannot copy",
      on: "a frame's tags")
    let context = try context(for: source, matrix: matrix, isFullRange: isFullRange)
    try convert(picture, from: source, by: context, into: result)
    result.pointer.pointee.colorspace = AVColorSpace(matrix)
    result.pointer.pointee.color_range = isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    result.chromaSite = target
    return isMoved ? result : try result.movingChroma(from: site, to: target)
  }

  /// Whether each chroma sample of the output covers the same pixels as one of the source. In packed sources, which
  /// libav unpacks in one step, it may cover one sample or two.
  private func keepsSamples(_ source: Source) -> Bool {
    guard source.size == output.size else { return false }
    let (own, others) = (source.format.chromaShifts, output.pixelFormat.chromaShifts)
    return own == others || (own.across == others.across && !source.format.isPlanarYUV)
  }

  private func describe(_ frame: Frame) -> Source {
    let color = frame.color
    let matrix = ColorTags(
      primaries: nil, transfer: nil,
      matrix: color.matrix ?? Self.assumedMatrix(height: frame.height), range: nil)
    return Source(
      size: PixelSize(width: frame.width, height: frame.height), format: frame.pixelFormat,
      isFullRange: frame.pixelFormat.impliesFullRange || color.range == "pc",
      matrix: matrix.libavMatrix.rawValue, chroma: frame.chromaSite,
      target: output.chroma ?? frame.chromaSite)
  }

  private func targetMatrix(for source: Source) -> AVColorSpace.RawValue {
    let kept = source.format.isRGB ? Self.assumedMatrix(height: output.size.height) : nil
    guard let name = output.matrix ?? kept else { return source.matrix }
    return ColorTags(primaries: nil, transfer: nil, matrix: name, range: nil).libavMatrix.rawValue
  }

  private func convert(
    _ frame: Frame, from source: Source, by context: OpaquePointer, into result: Frame
  ) throws {
    let rows = try checked(
      sws_scale_frame(context, result.pointer, frame.pointer), .conversionFailed,
      "cannot convert a picture", on: label(source))
    guard Int(rows) == result.height || rows == 0 else {
      throw MediaError(.conversionFailed, "cannot convert a picture", on: label(source))
    }
  }

  private func context(
    for source: Source, matrix: AVColorSpace.RawValue, isFullRange: Bool
  ) throws -> OpaquePointer {
    if let context = contexts[source] { return context }
    var context: OpaquePointer? = try allocated(sws_alloc_context(), for: label(source))
    var options: [(String, Int)] = [
      ("srcw", source.size.width), ("srch", source.size.height),
      ("src_format", Int(source.format.rawValue)), ("src_range", source.isFullRange ? 1 : 0),
      ("dstw", output.size.width), ("dsth", output.size.height),
      ("dst_format", Int(output.pixelFormat.rawValue)), ("dst_range", isFullRange ? 1 : 0),
      ("sws_flags", Int(Self.flags)),
    ]
    for (side, format, site) in [
      ("src", source.format, source.chroma), ("dst", output.pixelFormat, source.target),
    ] {
      let shifts = format.chromaShifts
      if shifts.across > 0 { options.append(("\(side)_h_chr_pos", site.across)) }
      if shifts.down > 0 { options.append(("\(side)_v_chr_pos", site.down)) }
    }
    for (name, value) in options {
      av_opt_set_int(UnsafeMutableRawPointer(context), name, Int64(value), 0)
    }
    let unity: Int32 = 1 << 16
    var status = sws_init_context(context, nil, nil)
    if status >= 0 {
      // Both tables are for YUV; RGB ignores its own.
      status = sws_setColorspaceDetails(
        context, sws_getCoefficients(Int32(source.matrix)), source.isFullRange ? 1 : 0,
        sws_getCoefficients(Int32(matrix)),
        output.pixelFormat.isRGB || isFullRange ? 1 : 0, 0, unity, unity)
    }
    guard status >= 0, let ready = context else {
      sws_freeContext(context)
      context = nil
      throw MediaError(
        .conversionFailed, "cannot convert a picture", on: label(source),
        cause: LibavError(status: status).text)
    }
    contexts[source] = ready
    return ready
  }

  private func label(_ source: Source) -> String {
    "\(source.size.width)x\(source.size.height) \(source.format.name) to "
      + "\(output.size.width)x\(output.size.height) \(output.pixelFormat.name)"
  }
}
