import Media
import Planning
import Timeline

/// Layers that are composited together, topmost first.
struct LayerStack<Sample: PictureSample> {
  var layers: [StackedLayer<Sample>]
  var background: PlanarColor<Sample>

  /// The layers, two or more and the lowest of them opaque, that lie on top of one another and cover the whole output,
  /// so that each can be composited, and its frame released, before the frame of the one above is decoded.
  ///
  /// `nil` if there are none, or if a layer above them has to be composited together with them.
  func sheets(at number: Int, of segment: SegmentDescription) throws -> Range<Int>? {
    let size = segment.renderSize
    let canvas = PixelBounds(left: 0, top: 0, right: size.width, bottom: size.height)
    var first: Int?
    for (index, layer) in layers.enumerated() {
      guard case .picture = layer.content else { return nil }
      guard let look = try layer.slice.look(at: number, of: segment) else { continue }
      if look.isSheet(on: canvas) {
        let top = first ?? index
        first = top
        if look.weight == BlendKernel.one { return top < index ? top..<index + 1 : nil }
      } else if first != nil || !look.isOnlyOver(canvas) {
        return nil
      }
    }
    return nil
  }
}

/// A layer with the source of its pictures.
struct StackedLayer<Sample: PictureSample> {
  /// The source of pictures.
  enum Content {
    /// A reader, and the source frame of each output frame of the slice.
    case picture(LayerReader<Sample>, times: [Int64])
    /// Layers that are composited separately.
    case group([StackedLayer], GroupPicture<Sample>)
  }

  let slice: LayerSlice
  let content: Content

  /// Creates a layer that takes a reader for each picture that it shows; `nil` if no reader is left.
  init?(_ slice: LayerSlice, taking readers: inout ArraySlice<LayerReader<Sample>>) {
    self.slice = slice
    if let sublayers = slice.sublayers {
      content = .group(
        sublayers.compactMap { StackedLayer($0, taking: &readers) }, GroupPicture(of: slice.leaves))
      return
    }
    guard let reader = readers.popFirst() else { return nil }
    content = .picture(reader, times: slice.frameTimes)
  }

  /// Releases the frame that an output frame showed, unless the next one shows it, too.
  ///
  /// - Parameters:
  ///   - number: the output frame's number, counted from the first of the slice.
  ///   - following: the layers of the next slice.
  func letGo(after number: Int, before following: [LayerSlice]) {
    guard case .picture(let reader, let times) = content else { return }
    let isShownAgain =
      number + 1 < times.count
      ? times[number + 1] == times[number]
      : following.contains { $0.source == slice.source && $0.frames.first?.time == times[number] }
    if !isShownAgain { reader.letGo() }
  }
}

extension LayerLook {
  /// Whether it is one picture that covers all of `canvas`.
  fileprivate func isSheet(on canvas: PixelBounds) -> Bool {
    guard let placement, backdrop == nil, progress == nil else { return false }
    return placement.warp == nil && !placement.isTranslucent && placement.coverage == canvas
  }

  /// Whether it can be composited over a finished picture of `canvas`: what lies below is visible, and no chroma sample
  /// is partially covered.
  fileprivate func isOnlyOver(_ canvas: PixelBounds) -> Bool {
    guard let placement, backdrop == nil, placement.coverage.hasEvenEdges else { return false }
    return placement.isTranslucent || placement.coverage != canvas
  }
}

extension PixelBounds {
  fileprivate var hasEvenEdges: Bool { (left | top | right | bottom) & 1 == 0 }
}
