import CFFmpeg

/// Picture memory that several decoders share: one decodes into memory that another has returned.
///
/// Each of libavcodec's own pools belongs to one decoder, and keeps as many pictures as that decoder ever used at once.
/// Not thread-safe: decoders that share a pool run on one thread.
public final class PicturePool {
  /// Pools of planes, by their size in bytes. Memory is zeroed when it is first allocated.
  private var pools: [Int: OpaquePointer] = [:]

  /// Creates a pool without memory.
  public init() {}

  deinit { drain() }

  /// Frees all memory. Memory that is still in use is freed when it is returned.
  public func drain() {
    for pool in pools.values {
      var pool: OpaquePointer? = pool
      av_buffer_pool_uninit(&pool)
    }
    pools = [:]
  }

  /// Makes a decoder take its pictures from this pool. The decoder must not outlive the pool.
  func serve(_ context: UnsafeMutablePointer<AVCodecContext>) {
    context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    context.pointee.get_buffer2 = { context, frame, flags in
      guard let context, let frame, let opaque = context.pointee.opaque else {
        return sheaf_averror(EINVAL)
      }
      let pool = Unmanaged<PicturePool>.fromOpaque(opaque).takeUnretainedValue()
      return pool.isFor(context, frame)
        ? pool.fill(frame, for: context) : avcodec_default_get_buffer2(context, frame, flags)
    }
  }

  /// Whether the pool can provide a picture: it has no palette, and its decoder accepts external memory.
  private func isFor(
    _ context: UnsafeMutablePointer<AVCodecContext>, _ frame: UnsafeMutablePointer<AVFrame>
  ) -> Bool {
    let others = UInt64(AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BITSTREAM)
    guard context.pointee.codec_type == AVMEDIA_TYPE_VIDEO,
      context.pointee.codec.pointee.capabilities & AV_CODEC_CAP_DR1 != 0,
      let format = av_pix_fmt_desc_get(AVPixelFormat(frame.pointee.format))
    else { return false }
    return format.pointee.flags & others == 0
  }

  /// Allocates a picture's planes, laid out as the decoder needs them.
  private func fill(
    _ frame: UnsafeMutablePointer<AVFrame>, for context: UnsafeMutablePointer<AVCodecContext>
  ) -> Int32 {
    let format = AVPixelFormat(frame.pointee.format)
    var (width, height) = (frame.pointee.width, frame.pointee.height)
    var alignment = [Int32](repeating: 0, count: Int(AV_NUM_DATA_POINTERS))
    avcodec_align_dimensions2(context, &width, &height, &alignment)
    var strides = [Int32](repeating: 0, count: 4)
    // The picture is widened until the rows of every plane are aligned, as in libavcodec.
    repeat {
      let status = av_image_fill_linesizes(&strides, format, width)
      guard status >= 0 else { return status }
      width += width & -width
    } while zip(strides, alignment).contains { $1 > 0 && $0 % $1 != 0 }
    var sizes = [Int](repeating: 0, count: 4)
    let status = av_image_fill_plane_sizes(&sizes, format, height, strides.map(Int.init))
    guard status >= 0 else { return status }
    return withUnsafeMutablePointer(to: &frame.pointee.buf.0) { buffers in
      withUnsafeMutablePointer(to: &frame.pointee.data.0) { planes in
        withUnsafeMutablePointer(to: &frame.pointee.linesize.0) { rows in
          for plane in 0..<4 where sizes[plane] > 0 {
            guard let buffer = take(sizes[plane]) else { return sheaf_averror(ENOMEM) }
            buffers[plane] = buffer
            planes[plane] = buffer.pointee.data
            rows[plane] = strides[plane]
          }
          return 0
        }
      }
    }
  }

  /// Bytes beyond a plane that decoders may touch, plus those by which its first row is shifted for alignment.
  private static let margin = 16 + Frame.rowAlignment

  /// The most sizes that are kept: those of two pictures with alpha, and as many for a stream that changes its size.
  package static let sizeLimit = 8
  /// The number of sizes that are kept.
  package var sizeCount: Int { pools.count }

  private func take(_ size: Int) -> UnsafeMutablePointer<AVBufferRef>? {
    let size = size + Self.margin
    if let pool = pools[size] { return av_buffer_pool_get(pool) }
    if pools.count == Self.sizeLimit { drain() }
    guard let pool = av_buffer_pool_init(size, av_buffer_allocz) else { return nil }
    pools[size] = pool
    return av_buffer_pool_get(pool)
  }
}
