import Media
import Timeline

/// Converts a layer's picture to the size, format and orientation in which it is composited.
///
/// The result is kept while the same frame is requested at the same size: a still image or a held frame is scaled once,
/// and the matte of a layer at rest is made once. Pictures with alpha go through ``TranslucentLayer`` instead.
final class LayerPicture<Sample: PictureSample> {
  /// The inputs that decide the result.
  private struct Key: Equatable {
    var time: Int64
    var scaledSize: PixelSize
    var orientation: PlaneOrientation
    var warp: Warp?
    var coverage: PixelBounds?
  }

  private let color: LayerColor<Sample>?
  private var scaler: Scaler?
  private var key: Key?
  private var picture: Frame?
  private var outline: ConvexOutline?
  /// How much of each pixel the last picture covers; `nil` if it covers all completely.
  private(set) var matte: Matte?

  /// Creates the pictures of the stream that `color` describes; `nil` if they already have the output's colors and
  /// size.
  init(color: LayerColor<Sample>?) { self.color = color }

  /// The frame in the form that `placement` needs; the frame itself, not a copy, if it has that form already.
  func prepare(_ frame: Frame, time: Int64, for placement: Placement) throws -> Frame {
    let wanted = Key(
      time: time, scaledSize: placement.scaledSize, orientation: placement.orientation,
      warp: placement.warp, coverage: placement.warp.map { _ in placement.coverage })
    if let picture, key == wanted { return picture }
    letGo()
    var prepared = frame
    if let color {
      let conversion = color.conversion(of: frame)
      let output = color.scaled(
        frame, to: placement.scaledSize, before: conversion,
        chroma: placement.orientation.chromaBefore)
      let scaler = scaler.flatMap { $0.output == output ? $0 : nil } ?? Scaler(to: output)
      self.scaler = scaler
      prepared = try scaler.scale(frame)
      if let conversion { prepared = try color.convert(prepared, by: conversion) }
    }
    cut(to: placement)
    if let warp = placement.warp {
      prepared = try warped(prepared, by: warp, on: placement.coverage)
    } else if placement.orientation != .identity {
      prepared = try turned(prepared, for: placement)
    }
    key = wanted
    picture = prepared
    return prepared
  }

  /// Whether the colors of a frame differ from those of the output.
  func converts(_ frame: Frame) -> Bool {
    frame.pixelFormat.isRGB || color?.conversion(of: frame) != nil
  }

  /// Releases the last picture.
  func letGo() { (picture, key) = (nil, nil) }

  /// Makes the matte that a placement needs.
  private func cut(to placement: Placement) {
    guard let warp = placement.warp, !placement.isSolid else {
      (matte, outline) = (nil, nil)
      return
    }
    if outline == warp.outline { return }
    matte = Matte(warp.outline, within: placement.coverage)
    outline = warp.outline
  }

  private func warped(_ frame: Frame, by warp: Warp, on bounds: PixelBounds) throws -> Frame {
    let result = try Frame(
      width: bounds.right - bounds.left, height: bounds.bottom - bounds.top,
      pixelFormat: Sample.planarFormat)
    try result.withMutablePicture(of: Sample.self) { target in
      try Frame.withPictures(of: [frame], as: Sample.self) { sources in
        warp.sample(sources[0], on: bounds, matte: matte, into: target)
      }
    }
    return result
  }

  private func turned(_ frame: Frame, for placement: Placement) throws -> Frame {
    let size = placement.turnedSize
    let result = try Frame(
      width: size.width, height: size.height, pixelFormat: Sample.planarFormat)
    try result.withMutablePicture(of: Sample.self) { target in
      try Frame.withPictures(of: [frame], as: Sample.self) { sources in
        for (source, target) in [
          (sources[0].luma, target.luma), (sources[0].cb, target.cb), (sources[0].cr, target.cr),
        ] {
          OrientKernel.orient(source, to: target, by: placement.orientation)
        }
      }
    }
    return result
  }
}
