import Media
import Timeline

/// The color space of a stream's pictures, and their conversion to the output's color space.
final class LayerColor<Sample: PictureSample> {
  private let target: ColorSpace
  private let tags: ColorTags
  private let hdr: HDRMetadata?
  /// Whether pictures are in the target's space, regardless of their tags.
  private let isConverted: Bool
  private let isStillImage: Bool
  private var bytes: (conversion: ColorConversion, kernel: ColorKernel<UInt8, Sample>)?
  private var words: (conversion: ColorConversion, kernel: ColorKernel<UInt16, Sample>)?

  /// Creates the color of a stream's pictures for an output in `target`.
  init(of stream: VideoStream, isStillImage: Bool, target: ColorSpace) {
    tags = stream.color
    hdr = stream.hdr
    isConverted = false
    self.isStillImage = isStillImage
    self.target = target
  }

  /// Creates the color of pictures that are already in the output's space.
  init(in target: ColorSpace) {
    self.target = target
    tags = ColorTags(primaries: nil, transfer: nil, matrix: nil, range: nil)
    hdr = nil
    isStillImage = false
    isConverted = true
  }

  /// The conversion of a picture; `nil` if it is already in the output's space.
  func conversion(of frame: Frame) -> ColorConversion? {
    guard !isConverted else { return nil }
    let own = frame.color
    let size = PixelSize(width: frame.width, height: frame.height)
    var tags = ColorTags(
      primaries: own.primaries ?? self.tags.primaries,
      transfer: own.transfer ?? self.tags.transfer,
      matrix: own.matrix ?? self.tags.matrix, range: own.range ?? self.tags.range)
    if frame.pixelFormat.impliesFullRange || (frame.pixelFormat.isGray && tags.range == nil) {
      tags.range = "pc"
    }
    guard !frame.pixelFormat.isRGB else {
      // The scaler converts them to the output's matrix and range.
      tags.matrix = nil
      var space = ColorSpace(tags, size: size, isStillImage: true)
      (space.matrix, space.isFullRange) = (target.matrix, target.isFullRange)
      return ColorConversion(from: space, to: target, hdr: hdr)
    }
    return ColorConversion(
      from: ColorSpace(tags, size: size, isStillImage: isStillImage), to: target,
      hdr: hdr)
  }

  /// The scaler's output for pictures that are then converted by `conversion`, unless it is `nil`.
  ///
  /// - Parameter chroma: the location of chroma samples.
  func scaled(
    _ frame: Frame, to size: PixelSize, before conversion: ColorConversion?,
    chroma: ChromaSite = .left
  ) -> Scaler.Output {
    let isDeep = Sample.bitDepth > 8 || (conversion != nil && frame.pixelFormat.bitDepth > 8)
    return Scaler.Output(
      size: size, pixelFormat: isDeep ? .yuv420p10 : .yuv420p,
      matrix: frame.pixelFormat.isRGB ? target.tags(size: size).matrix : nil, keepsRange: true,
      chroma: chroma)
  }

  /// Converts a scaled picture to the output's space.
  func convert(_ frame: Frame, by conversion: ColorConversion) throws -> Frame {
    let result = try Frame(
      width: frame.width, height: frame.height, pixelFormat: Sample.planarFormat)
    try result.withMutablePicture(of: Sample.self) { target in
      if frame.pixelFormat.bitDepth > 8 {
        if words?.conversion != conversion { words = (conversion, ColorKernel(conversion)) }
        try Frame.withPictures(of: [frame], as: UInt16.self) { sources in
          words?.kernel.convert(sources[0], to: target)
        }
      } else {
        if bytes?.conversion != conversion { bytes = (conversion, ColorKernel(conversion)) }
        try Frame.withPictures(of: [frame], as: UInt8.self) { sources in
          bytes?.kernel.convert(sources[0], to: target)
        }
      }
    }
    result.time = frame.time
    return result
  }
}
