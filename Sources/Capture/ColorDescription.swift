/// The range and the matrix of samples, which V4L2 states by three numbers (<linux/videodev2.h>).
package struct ColorDescription: Hashable, Sendable {
  package let range: CapturedVideoFormat.Range
  package let matrix: CapturedVideoFormat.Matrix

  /// - Parameters:
  ///   - space: `V4L2_COLORSPACE_…`.
  ///   - encoding: `V4L2_YCBCR_ENC_…`.
  ///   - quantization: `V4L2_QUANTIZATION_…`.
  package init(
    _ coding: CapturedVideoFormat.Coding, space: UInt32, encoding: UInt32, quantization: UInt32
  ) {
    if coding == .jpeg {
      // JFIF defines both, whatever drivers state.
      (range, matrix) = (.full, .bt601)
      return
    }
    let isFull =
      if case .raw(let layout) = coding { layout.isRGB || layout == .gray } else { false }
    range =
      switch quantization {
      case 1: .full
      case 2: .limited
      // V4L2_MAP_QUANTIZATION_DEFAULT, and for gray what devices deliver.
      default: isFull || space == Self.jpeg ? .full : .limited
      }
    matrix =
      switch encoding {
      case 1, 3: .bt601
      case 2, 4: .bt709
      case 6: .bt2020
      case 0: Self.usualMatrix(of: space)
      default: .unknown
      }
  }

  /// V4L2_COLORSPACE_JPEG.
  private static let jpeg: UInt32 = 7

  /// V4L2_MAP_YCBCR_ENC_DEFAULT.
  private static func usualMatrix(of space: UInt32) -> CapturedVideoFormat.Matrix {
    switch space {
    case 3, 12: .bt709
    case 10: .bt2020
    // SMPTE 170M, both systems of 470, JPEG, sRGB and opRGB.
    case 1, 5, 6, 7, 8, 9: .bt601
    default: .unknown
    }
  }
}
