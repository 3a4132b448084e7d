import Media
import Timeline

extension TranslucentPicture {
  /// Creates the picture of a decoded frame, whose colors must not be multiplied by alpha yet.
  ///
  /// - Parameter target: the output's color space.
  init(_ frame: Frame, target: ColorSpace) throws {
    let format = frame.pixelFormat
    if format.isGrayWithAlpha {
      self = try Self.gray(frame, target: target)
    } else if format.isPlanarYUV {
      self = try Self.planar(frame, target: target)
    } else {
      self = try Self.packed(frame, target: target)
    }
  }

  private static func packed(_ frame: Frame, target: ColorSpace) throws -> TranslucentPicture {
    let isDeep = frame.pixelFormat.bitDepth > 8
    let isPlain = ["rgba", "rgba64le", "rgba64be"].contains(frame.pixelFormat.name)
    let rgba =
      isPlain
      ? frame
      : try Scaler(
        to: Scaler.Output(
          size: .init(width: frame.width, height: frame.height),
          pixelFormat: isDeep ? .rgba64 : .rgba)
      ).scale(frame)
    let map = PixelMatrix(fromRGBTo: target)
    return try isDeep
      ? interleaved(rgba, UInt16.self, channels: 4) { map.pixel($0[0], $0[1], $0[2], alpha: $0[3]) }
      : interleaved(rgba, UInt8.self, channels: 4) { map.pixel($0[0], $0[1], $0[2], alpha: $0[3]) }
  }

  private static func gray(_ frame: Frame, target: ColorSpace) throws -> TranslucentPicture {
    let map = PixelMatrix(fromRGBTo: target)
    return try frame.pixelFormat.bitDepth > 8
      ? interleaved(frame, UInt16.self, channels: 2) {
        map.pixel($0[0], $0[0], $0[0], alpha: $0[1])
      }
      : interleaved(frame, UInt8.self, channels: 2) { map.pixel($0[0], $0[0], $0[0], alpha: $0[1]) }
  }

  /// Creates a picture from interleaved channels, each divided by its highest value.
  private static func interleaved<Sample: FixedWidthInteger & UnsignedInteger>(
    _ frame: Frame, _ sample: Sample.Type, channels: Int, _ pixel: (SIMD4<Float>) -> Pixel
  ) throws -> TranslucentPicture {
    let isBigEndian = frame.pixelFormat.isBigEndian
    let pixels = frame.withUnsafePlanes { planes -> [Pixel] in
      guard let plane = planes.first else { return [] }
      var pixels: [Pixel] = []
      pixels.reserveCapacity(frame.width * frame.height)
      for row in 0..<frame.height {
        let bytes = UnsafeRawPointer(plane.base + row * plane.stride)
        let samples = bytes.assumingMemoryBound(to: Sample.self)
        for column in 0..<frame.width {
          var values = SIMD4<Float>.zero
          for channel in 0..<channels {
            let value = samples[column * channels + channel]
            values[channel] = Float(isBigEndian ? value.byteSwapped : value)
          }
          pixels.append(pixel(values / Float(Sample.max)))
        }
      }
      return pixels
    }
    return TranslucentPicture(width: frame.width, height: frame.height, pixels: pixels)
  }

  private static func planar(_ frame: Frame, target: ColorSpace) throws -> TranslucentPicture {
    let size = PixelSize(width: frame.width, height: frame.height)
    let map = PixelMatrix(from: ColorSpace(frame.color, size: size), to: target)
    return frame.pixelFormat.bitDepth > 8
      ? planes(of: frame, UInt16.self, map) : planes(of: frame, UInt8.self, map)
  }

  /// Creates a picture from planes of luma, color differences and possibly alpha. A difference applies to all pixels
  /// that it covers.
  private static func planes<Sample: FixedWidthInteger & UnsignedInteger>(
    of frame: Frame, _ sample: Sample.Type, _ map: PixelMatrix
  ) -> TranslucentPicture {
    let depth = frame.pixelFormat.bitDepth
    // The value that corresponds to 255 at 8 bits, because limited range scales by powers of two.
    let whole = Float(255 << (depth - 8))
    let highest = Float((1 << depth) - 1)
    let pixels = frame.withUnsafePlanes { planes -> [Pixel] in
      guard planes.count >= 3 else { return [] }
      var pixels: [Pixel] = []
      pixels.reserveCapacity(frame.width * frame.height)
      let (across, down) = (
        planes[1].width == frame.width ? 0 : 1, planes[1].height == frame.height ? 0 : 1
      )
      for row in 0..<frame.height {
        func line(_ plane: Int, _ row: Int) -> UnsafePointer<Sample> {
          UnsafeRawPointer(planes[plane].base + row * planes[plane].stride)
            .assumingMemoryBound(to: Sample.self)
        }
        let (luma, cb, cr) = (line(0, row), line(1, row >> down), line(2, row >> down))
        let alpha = planes.count > 3 ? line(3, row) : nil
        for column in 0..<frame.width {
          pixels.append(
            map.pixel(
              Float(luma[column]) / whole, Float(cb[column >> across]) / whole,
              Float(cr[column >> across]) / whole,
              alpha: alpha.map { Float($0[column]) / highest } ?? 1))
        }
      }
      return pixels
    }
    return TranslucentPicture(width: frame.width, height: frame.height, pixels: pixels)
  }
}
