import Media
import Timeline

/// What a stream's pictures are in, and how they come into the output's colour space.
final class LayerColour<Sample: PictureSample> {
  private let target: ColourSpace
  private let stream: VideoStream
  private let isStillImage: Bool
  private var bytes: (conversion: ColourConversion, kernel: ColourKernel<UInt8, Sample>)?
  private var words: (conversion: ColourConversion, kernel: ColourKernel<UInt16, Sample>)?

  /// The colour of a stream's pictures on an output in `target`.
  init(of stream: VideoStream, isStillImage: Bool, target: ColourSpace) {
    self.stream = stream
    self.isStillImage = isStillImage
    self.target = target
  }

  /// How a picture is converted; `nil` where it is in the output's space already.
  func conversion(of frame: Frame) -> ColourConversion? {
    let own = frame.colour
    let size = PixelSize(width: frame.width, height: frame.height)
    var tags = ColourTags(
      primaries: own.primaries ?? stream.colour.primaries,
      transfer: own.transfer ?? stream.colour.transfer,
      matrix: own.matrix ?? stream.colour.matrix, range: own.range ?? stream.colour.range)
    if frame.pixelFormat.impliesFullRange || (frame.pixelFormat.isGrey && tags.range == nil) {
      tags.range = "pc"
    }
    guard !frame.pixelFormat.isRGB else {
      // The scaler makes them what the output has.
      tags.matrix = nil
      var space = ColourSpace(tags, size: size, isStillImage: true)
      (space.matrix, space.isFullRange) = (target.matrix, target.isFullRange)
      return ColourConversion(from: space, to: target, hdr: stream.hdr)
    }
    return ColourConversion(
      from: ColourSpace(tags, size: size, isStillImage: isStillImage), to: target,
      hdr: stream.hdr)
  }

  /// The scaler's output for pictures that are converted so, or not at all.
  func scaled(
    _ frame: Frame, to size: PixelSize, before conversion: ColourConversion?
  ) -> Scaler.Output {
    let isDeep = Sample.bitDepth > 8 || (conversion != nil && frame.pixelFormat.bitDepth > 8)
    return Scaler.Output(
      size: size, pixelFormat: isDeep ? .yuv420p10 : .yuv420p,
      matrix: frame.pixelFormat.isRGB ? target.tags(size: size).matrix : nil, keepsRange: true)
  }

  /// The scaled picture in the output's space.
  func convert(_ frame: Frame, by conversion: ColourConversion) throws -> Frame {
    let result = try Frame(
      width: frame.width, height: frame.height, pixelFormat: Sample.planarFormat)
    try result.withMutablePicture(of: Sample.self) { target in
      if frame.pixelFormat.bitDepth > 8 {
        if words?.conversion != conversion { words = (conversion, ColourKernel(conversion)) }
        try Frame.withPictures(of: [frame], as: UInt16.self) { sources in
          words?.kernel.convert(sources[0], to: target)
        }
      } else {
        if bytes?.conversion != conversion { bytes = (conversion, ColourKernel(conversion)) }
        try Frame.withPictures(of: [frame], as: UInt8.self) { sources in
          bytes?.kernel.convert(sources[0], to: target)
        }
      }
    }
    result.time = frame.time
    return result
  }
}
