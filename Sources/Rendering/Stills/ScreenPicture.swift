import Media
import Planning
import Timeline

/// Converts pictures of any format and color to sRGB for screens.
///
/// Standard dynamic range keeps its code values, as players and browsers show them: only the matrix and the range are
/// undone. High dynamic range is tone-mapped, and wide gamuts are mapped to that of BT.709, as in a project whose output
/// has standard range.
final class ScreenPicture {
  private var scalers: [Scaler.Output: Scaler] = [:]
  private let color = LayerColor<UInt16>(in: .sRGB)

  /// The primaries that are close enough to those of sRGB to be shown as them.
  private static let usualPrimaries: Set<ColorSpace.Primaries> = [
    .bt709, .bt470bg, .smpte170m, .ebu3213,
  ]

  /// The picture as players show it, in the format ``PixelFormat/rgb24``.
  ///
  /// - Parameter hdr: the stream's HDR metadata.
  func picture(of frame: Frame, hdr: HDRMetadata?, on display: PictureDisplay) throws -> Frame {
    let standard = try standardRange(frame, hdr: hdr)
    let stored = try scaled(
      standard, to: Scaler.Output(size: display.storedSize, pixelFormat: .rgb24, chroma: nil))
    // The scaler copied the source's ratio, which the new size already takes into account.
    stored.setSquarePixels()
    return try stored.turned(by: display.orientation)
  }

  /// The picture in standard dynamic range with a usual gamut.
  private func standardRange(_ frame: Frame, hdr: HDRMetadata?) throws -> Frame {
    let size = PixelSize(width: frame.width, height: frame.height)
    var tags = frame.color
    if frame.pixelFormat.impliesFullRange { tags.range = "pc" }
    let space = ColorSpace(tags, size: size)
    frame.setColor(
      ColorTags(
        primaries: tags.primaries, transfer: tags.transfer,
        matrix: frame.pixelFormat.isRGB ? tags.matrix : space.tags(size: size).matrix,
        range: tags.range))
    let isUsual = !space.transfer.isHDR && Self.usualPrimaries.contains(space.primaries)
    guard !isUsual, let conversion = ColorConversion(from: space, to: .sRGB, hdr: hdr) else {
      return frame
    }
    let planar = try scaled(
      frame,
      to: Scaler.Output(
        size: size, pixelFormat: .yuv420p10,
        matrix: frame.pixelFormat.isRGB ? space.tags(size: size).matrix : nil, keepsRange: true))
    let converted = try color.convert(planar, by: conversion)
    converted.setColor(ColorSpace.sRGB.tags(size: size))
    return converted
  }

  private func scaled(_ frame: Frame, to output: Scaler.Output) throws -> Frame {
    if let scaler = scalers[output] { return try scaler.scale(frame) }
    let scaler = Scaler(to: output)
    scalers[output] = scaler
    return try scaler.scale(frame)
  }
}

extension Frame {
  /// A picture of the format ``PixelFormat/rgb24``, mirrored and rotated.
  fileprivate func turned(by orientation: Orientation) throws -> Frame {
    guard orientation != .identity else { return self }
    let (columns, rows) = (width, height)
    let result = try Frame(
      width: orientation.swapsSides ? rows : columns,
      height: orientation.swapsSides ? columns : rows, pixelFormat: pixelFormat)
    try withUnsafePlanes { sources in
      try result.withUnsafeMutablePlanes { targets in
        guard let source = sources.first, let target = targets.first else { return }
        for row in 0..<rows {
          for column in 0..<columns {
            let across = orientation.isMirrored ? columns - 1 - column : column
            let (x, y) =
              switch orientation.quarterTurns {
              case 1: (rows - 1 - row, across)
              case 2: (columns - 1 - across, rows - 1 - row)
              case 3: (row, columns - 1 - across)
              default: (across, row)
              }
            let from = source.base + row * source.stride + column * 3
            let to = target.base + y * target.stride + x * 3
            (to[0], to[1], to[2]) = (from[0], from[1], from[2])
          }
        }
      }
    }
    return result
  }
}
