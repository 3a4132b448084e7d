import Timeline

extension Frame {
  /// How far a pixel's red, green and blue may differ, out of 255, and still look gray: more than an encoder's noise.
  private static let noticeableChroma: UInt8 = 16
  /// The longest side at which a picture is examined.
  private static let lookedAt = 512

  /// Whether the picture has no noticeable colors.
  ///
  /// - Throws: ``MediaError`` with code `conversionFailed` or `outOfMemory`.
  func isGrayscale() throws -> Bool {
    guard !pixelFormat.isGray else { return true }
    let size = PixelSize(width: min(width, Self.lookedAt), height: min(height, Self.lookedAt))
    let picture = try Scaler(to: Scaler.Output(size: size, pixelFormat: .rgba)).scale(self)
    return picture.withUnsafePlanes { planes in
      guard let plane = planes.first else { return false }
      return (0..<size.height).allSatisfy { row in
        let pixels = plane.base + row * plane.stride
        return (0..<size.width).allSatisfy { column in
          let (red, green, blue) = (
            pixels[column * 4], pixels[column * 4 + 1], pixels[column * 4 + 2]
          )
          return max(red, green, blue) - min(red, green, blue) <= Self.noticeableChroma
        }
      }
    }
  }

  /// The picture's gray levels from 0 (black) to 1 (white), row by row, for the map of a mask.
  ///
  /// Gray pictures keep their 8 or 16 bits; others have the levels of their green samples, of 8 bits.
  ///
  /// - Throws: ``MediaError`` with code `conversionFailed` or `outOfMemory`.
  public func grayLevels() throws -> [Float] {
    switch pixelFormat.name {
    case "gray": return levels(bytes: 1) { Float($0[0]) / 255 }
    case "gray16be": return levels(bytes: 2) { Float(UInt16($0[0]) << 8 | UInt16($0[1])) / 65535 }
    case "gray16le": return levels(bytes: 2) { Float(UInt16($0[1]) << 8 | UInt16($0[0])) / 65535 }
    default:
      let size = PixelSize(width: width, height: height)
      return try Scaler(to: Scaler.Output(size: size, pixelFormat: .rgba)).scale(self)
        .levels(bytes: 4) { Float($0[1]) / 255 }
    }
  }

  /// The levels of a packed picture with the given number of bytes per pixel.
  private func levels(bytes: Int, _ level: (UnsafePointer<UInt8>) -> Float) -> [Float] {
    withUnsafePlanes { planes in
      guard let plane = planes.first else { return [] }
      var levels: [Float] = []
      levels.reserveCapacity(width * height)
      for row in 0..<height {
        for column in 0..<width {
          levels.append(level(plane.base + row * plane.stride + column * bytes))
        }
      }
      return levels
    }
  }
}
