import Media
import Planning
import Timeline

/// A group of layers as one picture with alpha, of the size that its layers cover.
///
/// The picture is kept while the layers' pictures and places stay the same, so a group at rest fades at the cost of one
/// layer.
final class GroupPicture<Sample: PictureSample> {
  private var made: (parts: [ShownLayer], picture: Frame, matte: Matte)?
  /// Whether a layer's picture is a new object whenever its content changes.
  private let isKept: Bool

  /// Creates a group of layers. The instruction's own picture changes in place, so a group that shows it is not kept.
  init(of layers: [LayerSlice]) { isKept = layers.allSatisfy { $0.source >= 0 } }

  /// The parts, topmost first, as one layer.
  func flattened(_ parts: [ShownLayer], weight: Int16) throws -> [ShownLayer] {
    guard let first = parts.first else { return [] }
    let bounds = parts.dropFirst().reduce(first.coverage) { $0.union($1.coverage) }.evenBounds
    let (picture, matte) = try picture(of: parts, within: bounds)
    return [
      ShownLayer(
        picture: picture, x: bounds.left * 256, y: bounds.top * 256, coverage: bounds,
        weight: weight, matte: matte)
    ]
  }

  private func picture(
    of parts: [ShownLayer], within bounds: PixelBounds
  ) throws -> (picture: Frame, matte: Matte) {
    if let made, isKept, made.matte.bounds == bounds, made.parts.count == parts.count,
      zip(made.parts, parts).allSatisfy({ $0.looks(like: $1) })
    {
      return (made.picture, made.matte)
    }
    let (width, height) = (bounds.right - bounds.left, bounds.bottom - bounds.top)
    let picture = try Frame(width: width, height: height, pixelFormat: Sample.planarFormat)
    let matte = try picture.withMutablePicture(of: Sample.self) { target in
      try Frame.withPictures(of: parts.map(\.picture), as: Sample.self) { sources in
        func layers(
          _ plane: KeyPath<PlanarPicture<Sample>, SamplePlane<Sample>>,
          _ matte: KeyPath<Matte, MattePlane>, halved: Int
        ) -> [GroupKernel<Sample>.Layer] {
          zip(parts, sources).reversed().map { part, source in
            GroupKernel.Layer(
              plane: source[keyPath: plane], left: (part.coverage.left - bounds.left) >> halved,
              top: (part.coverage.top - bounds.top) >> halved,
              matte: part.matte?[keyPath: matte], weight: part.weight)
          }
        }
        let luma = GroupKernel.composite(layers(\.luma, \.luma, halved: 0), into: target.luma)
        let chroma = GroupKernel.composite(layers(\.cb, \.chroma, halved: 1), into: target.cb)
        _ = GroupKernel.composite(layers(\.cr, \.chroma, halved: 1), into: target.cr)
        return Matte(
          bounds: bounds, luma: MattePlane(width: width, weights: luma),
          chroma: MattePlane(width: width / 2, weights: chroma))
      }
    }
    made = (parts, picture, matte)
    return (picture, matte)
  }
}

extension ShownLayer {
  /// Whether both show the same picture in the same way. A picture and its matte are made together.
  fileprivate func looks(like other: ShownLayer) -> Bool {
    picture === other.picture && coverage == other.coverage && weight == other.weight
      && (matte == nil) == (other.matte == nil)
  }
}
