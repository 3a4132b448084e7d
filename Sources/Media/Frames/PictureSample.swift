/// The storage of one sample of a planar picture: a byte for 8 bits, or a 16-bit word for 10.
///
/// Code that works on samples is generic, and specialized for both.
public protocol PictureSample: FixedWidthInteger, UnsignedInteger, Sendable {
  /// The number of bits in a sample; they are the low bits of the word.
  static var bitDepth: Int { get }
  /// The planar 4:2:0 format of these samples, used for compositing and encoding.
  static var planarFormat: PixelFormat { get }
}

extension PictureSample {
  /// The highest code value.
  @inlinable @inline(__always)
  public static var highest: Int32 { (1 << Int32(truncatingIfNeeded: bitDepth)) - 1 }
}

extension UInt8: PictureSample {
  /// 8.
  @inlinable @inline(__always)
  public static var bitDepth: Int { 8 }
  /// `yuv420p`.
  public static var planarFormat: PixelFormat { .yuv420p }
}

extension UInt16: PictureSample {
  /// 10.
  @inlinable @inline(__always)
  public static var bitDepth: Int { 10 }
  /// `yuv420p10le`.
  public static var planarFormat: PixelFormat { .yuv420p10 }
}
