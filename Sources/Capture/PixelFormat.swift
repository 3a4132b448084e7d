/// A pixel format of V4L2: four characters, the first in the lowest byte (`V4L2_PIX_FMT_…` of <linux/videodev2.h>).
package struct PixelFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Creates the format with the given characters.
  package init(_ characters: StaticString) {
    rawValue = characters.withUTF8Buffer {
      $0.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  private static let codings: [PixelFormat: CapturedVideoFormat.Coding] = [
    PixelFormat("H264"): .h264,
    PixelFormat("MJPG"): .jpeg,
    PixelFormat("JPEG"): .jpeg,
    PixelFormat("NV12"): .raw(.nv12),
    PixelFormat("NV21"): .raw(.nv21),
    PixelFormat("YU12"): .raw(.yuv420p),
    PixelFormat("YUYV"): .raw(.yuyv422),
    PixelFormat("UYVY"): .raw(.uyvy422),
    PixelFormat("YVYU"): .raw(.yvyu422),
    PixelFormat("NV16"): .raw(.nv16),
    PixelFormat("422P"): .raw(.yuv422p),
    PixelFormat("P010"): .raw(.p010le),
    PixelFormat("RGB3"): .raw(.rgb24),
    PixelFormat("BGR3"): .raw(.bgr24),
    PixelFormat("XR24"): .raw(.bgr0),
    PixelFormat("XB24"): .raw(.rgb0),
    PixelFormat("GREY"): .raw(.gray),
  ]

  /// How the format represents pictures; `nil` if it is not supported.
  package var coding: CapturedVideoFormat.Coding? { Self.codings[self] }

  /// The four characters.
  package var description: String {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * UInt32($0))) }
    let isPrintable = bytes.allSatisfy { (0x20..<0x7F).contains($0) }
    return isPrintable ? String(decoding: bytes, as: UTF8.self) : "0x" + String(rawValue, radix: 16)
  }
}

extension CapturedVideoFormat.Coding {
  /// The place in the order of preference, from 0: H.264, which needs no encoding; then what is not compressed, with
  /// 4:2:0 first, which is what encoders take; then JPEG.
  var preference: Int {
    switch self {
    case .h264: 0
    case .raw(let layout): 1 + (RawLayout.allCases.firstIndex(of: layout) ?? 0)
    case .jpeg: 1 + RawLayout.allCases.count
    }
  }
}
