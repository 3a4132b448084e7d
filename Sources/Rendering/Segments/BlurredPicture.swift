import Media
import Timeline

/// Makes blurred copies of a stream's pictures; the last one is kept while the same frame is shown.
///
/// The copy has 10 bits until it is scaled up, so that rounding on the way is not visible.
final class BlurredPicture<Sample: PictureSample> {
  /// The inputs that decide the blurred picture.
  private struct Key: Equatable {
    var time: Int64
    var copy: BlurredCopy
  }

  private let color: LayerColor<UInt16>
  private var scaler: Scaler?
  private var key: Key?
  private var blurred: Frame?
  private var enlarged: (picture: Frame, chroma: ChromaSite)?
  private var placed = LayerPicture<Sample>(color: nil)

  /// Creates copies of the pictures of the stream that `color` describes.
  init(color: LayerColor<UInt16>) { self.color = color }

  /// How much of each pixel the last picture covers; `nil` if it covers all completely.
  var matte: Matte? { placed.matte }

  /// The copy of a frame in the form that `placement` needs.
  func prepare(
    _ frame: Frame, time: Int64, copy: BlurredCopy, for placement: Placement
  ) throws -> Frame {
    let wanted = Key(time: time, copy: copy)
    if key != wanted {
      if key?.copy != copy { placed = LayerPicture(color: nil) }
      (blurred, enlarged) = (try blur(frame, by: copy), nil)
      key = wanted
    }
    guard let blurred else { return frame }
    let size = placement.scaledSize
    let chroma = placement.orientation.chromaBefore
    if let enlarged, enlarged.picture.width == size.width, enlarged.picture.height == size.height,
      enlarged.chroma == chroma
    {
      return try placed.prepare(enlarged.picture, time: time, for: placement)
    }
    let enlarged = try Self.enlarge(blurred, part: copy.part, to: size, chroma: chroma)
    self.enlarged = (enlarged, chroma)
    return try placed.prepare(enlarged, time: time, for: placement)
  }

  private func blur(_ frame: Frame, by copy: BlurredCopy) throws -> Frame {
    let conversion = color.conversion(of: frame)
    let output = color.scaled(frame, to: copy.reducedSize, before: conversion)
    let scaler = scaler.flatMap { $0.output == output ? $0 : nil } ?? Scaler(to: output)
    self.scaler = scaler
    let scaled = try scaler.scale(frame)
    // The scaler may return the decoder's own picture, which must not be changed.
    let reduced =
      try conversion.map { try color.convert(scaled, by: $0) } ?? Frame(sharing: scaled)
    try reduced.withMutablePicture(of: UInt16.self) { picture in
      let picture = picture.part(copy.aperture)
      let (across, down) = (copy.sigmaAcross, copy.sigmaDown)
      GaussianKernel.blur(picture.luma, across: across, down: down)
      GaussianKernel.blur(picture.cb, across: across / 2, down: down / 2)
      GaussianKernel.blur(picture.cr, across: across / 2, down: down / 2)
    }
    return reduced
  }

  private static func enlarge(
    _ blurred: Frame, part: PixelBounds, to size: PixelSize, chroma: ChromaSite
  ) throws -> Frame {
    let enlarged = try Frame(
      width: size.width, height: size.height, pixelFormat: Sample.planarFormat)
    try enlarged.withMutablePicture(of: Sample.self) { target in
      try Frame.withPictures(of: [blurred], as: UInt16.self) { sources in
        let source = sources[0].part(part)
        SmoothScaleKernel.scale(source.luma, to: target.luma)
        SmoothScaleKernel.scale(source.cb, to: target.cb, chroma: .left, at: chroma)
        SmoothScaleKernel.scale(source.cr, to: target.cr, chroma: .left, at: chroma)
      }
    }
    return enlarged
  }
}

extension PlanarPicture {
  /// The part of the picture within bounds with even edges.
  func part(_ bounds: PixelBounds) -> PlanarPicture {
    PlanarPicture(
      luma: luma.part(bounds, shift: 0), cb: cb.part(bounds, shift: 1),
      cr: cr.part(bounds, shift: 1))
  }
}

extension SamplePlane {
  fileprivate func part(_ bounds: PixelBounds, shift: Int) -> SamplePlane {
    SamplePlane(
      base: row(bounds.top >> shift) + (bounds.left >> shift), stride: stride,
      width: (bounds.right - bounds.left) >> shift, height: (bounds.bottom - bounds.top) >> shift)
  }
}
