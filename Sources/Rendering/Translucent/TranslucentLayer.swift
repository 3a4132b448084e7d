import Media
import Timeline

/// The translucent pictures of a source, and the last picture made from them.
///
/// It does for pictures with alpha what ``LayerPicture`` does for others: the same picture is not made twice in a row.
final class TranslucentLayer<Sample: PictureSample> {
  /// The inputs that decide the result.
  private struct Key: Equatable {
    var time: Int64
    var scaledSize: PixelSize
    var warp: Warp
    var tint: BlendedColor?
  }

  private let target: ColorSpace
  /// The last frame that was converted, whole and in the last requested size.
  private var source: (time: Int64, whole: TranslucentPicture, reduced: TranslucentPicture)?
  private var made: (key: Key, picture: Frame, matte: Matte)?

  /// Creates pictures for an output in `target`.
  init(target: ColorSpace) { self.target = target }

  /// The picture at `time` in the form that `placement` needs; `frame` is called if the picture is not available yet.
  func prepare(
    time: Int64, for placement: Placement, tint: BlendedColor?,
    frame: () throws -> TranslucentPicture
  ) throws -> (picture: Frame, matte: Matte)? {
    guard let warp = placement.warp else { return nil }
    let key = Key(time: time, scaledSize: placement.scaledSize, warp: warp, tint: tint)
    if let made, made.key == key { return (made.picture, made.matte) }
    if source?.time != time {
      let whole = try frame()
      source = (time, whole, whole)
    }
    guard let source else { return nil }
    if source.reduced.size != placement.scaledSize {
      self.source?.reduced = source.whole.reduced(to: placement.scaledSize)
    }
    let color = tint.map {
      PixelMatrix(fromRGBTo: target)
        .straight(Float($0.red / 255), Float($0.green / 255), Float($0.blue / 255))
    }
    let sampler = TranslucentSampler(
      picture: self.source?.reduced ?? source.whole, warp: warp, tint: color)
    let outcome = try sampler.sample(Sample.self, on: placement.coverage)
    made = (key, outcome.picture, outcome.matte)
    return outcome
  }
}

/// A still image with alpha, which all layers that show it share.
final class TranslucentStill {
  private let load: () throws -> TranslucentPicture
  private var picture: TranslucentPicture?

  /// Creates an image that `load` decodes when it is first shown.
  init(load: @escaping () throws -> TranslucentPicture) { self.load = load }

  /// The image.
  func shown() throws -> TranslucentPicture {
    if let picture { return picture }
    let loaded = try load()
    picture = loaded
    return loaded
  }
}
