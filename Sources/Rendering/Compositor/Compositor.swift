import Media

/// Composites layers over a background into a YUV 4:2:0 picture of limited range.
///
/// A layer covers a pixel completely or not at all: edges are hard, so adjoining layers leave no seam. A chroma sample
/// whose four pixels are all covered, or all not covered, is composited directly. A chroma sample that a layer covers
/// partially is the mean of what its four pixels show (``SeamKernel``).
///
/// A layer with a ``Matte`` has soft edges instead: each pixel is weighted by how much of it the layer covers, and each
/// chroma sample by the mean of its four pixels.
package final class Compositor<Sample: PictureSample> {
  private let canvas: PixelBounds
  private let sampler: RowSampler<Sample>

  /// Creates a compositor for pictures of even `width` and `height`, in pixels.
  package init(width: Int, height: Int) {
    canvas = PixelBounds(left: 0, top: 0, right: width, bottom: height)
    sampler = RowSampler(width: width)
  }

  /// Composites `layers`, topmost first, over `background`; the previous content of `picture` is overwritten. Without a
  /// background, they are composited over that content, and must have even edges.
  package func composite(
    _ layers: [PlacedLayer<Sample>], over background: PlanarColor<Sample>?,
    into picture: PlanarPicture<Sample>
  ) {
    var visible: [PlacedLayer<Sample>] = []
    for var layer in layers {
      layer.coverage = layer.coverage.intersection(canvas)
      guard !layer.isInvisible else { continue }
      visible.append(layer)
      if layer.isOpaque && layer.coverage == canvas { break }
    }
    if let background, visible.last.map({ $0.isOpaque && $0.coverage == canvas }) != true {
      fill(picture.luma, with: background.luma)
      fill(picture.cb, with: background.cb)
      fill(picture.cr, with: background.cr)
    }
    for layer in visible.reversed() {
      if let matte = layer.matte {
        place(layer, matte, on: picture)
        continue
      }
      place(layer.picture.luma, of: layer, scale: 2, on: layer.coverage, of: picture.luma)
      let whole = layer.coverage.wholeChromaBlocks
      guard !whole.isEmpty else { continue }
      place(layer.picture.cb, of: layer, scale: 1, on: whole, of: picture.cb)
      place(layer.picture.cr, of: layer, scale: 1, on: whole, of: picture.cr)
    }
    if let background { SeamKernel.mend(visible, over: background, in: picture) }
  }

  /// Copies or blends a plane. A pixel is `512 × scale / 2` position units wide: in a luma plane, `scale` is 2. A
  /// chroma sample is two pixels wide, so distances in its plane are half as long, and `scale` is 1.
  private func place(
    _ source: SamplePlane<Sample>, of layer: PlacedLayer<Sample>, scale: Int,
    on bounds: PixelBounds, of destination: SamplePlane<Sample>
  ) {
    let count = bounds.right - bounds.left
    let weight = layer.weight
    sampler.forEachRow(
      of: source, x: bounds.left * 512 - layer.x * scale, y: bounds.top * 512 - layer.y * scale,
      count: count, height: bounds.bottom - bounds.top
    ) { line, samples in
      let target = destination.row(bounds.top + line) + bounds.left
      if weight == BlendKernel.one {
        target.update(from: samples, count: count)
      } else {
        BlendKernel.blend(samples, into: target, count: count, weight: weight)
      }
    }
  }

  private func place(
    _ layer: PlacedLayer<Sample>, _ matte: Matte, on picture: PlanarPicture<Sample>
  ) {
    let (left, top) = (matte.bounds.left, matte.bounds.top)
    place(layer.picture.luma, matte.luma, layer.weight, left: left, top: top, on: picture.luma)
    place(
      layer.picture.cb, matte.chroma, layer.weight, left: left / 2, top: top / 2, on: picture.cb)
    place(
      layer.picture.cr, matte.chroma, layer.weight, left: left / 2, top: top / 2, on: picture.cr)
  }

  /// Blends a plane with a matte: with the matte's weights at the edges, and with a single weight in between.
  private func place(
    _ source: SamplePlane<Sample>, _ matte: MattePlane, _ weight: Int16, left: Int, top: Int,
    on destination: SamplePlane<Sample>
  ) {
    matte.weights.withUnsafeBufferPointer { weights in
      guard let weights = weights.baseAddress else { return }
      for (line, span) in matte.spans.enumerated() {
        let (from, to) = (source.row(line), destination.row(top + line) + left)
        let own = weights + line * matte.width
        func edge(_ columns: Range<Int>) {
          BlendKernel.blend(
            from + columns.lowerBound, into: to + columns.lowerBound, count: columns.count,
            weights: own + columns.lowerBound, weight: weight)
        }
        edge(span.shown.lowerBound..<span.whole.lowerBound)
        edge(span.whole.upperBound..<span.shown.upperBound)
        let whole = span.whole
        if weight == BlendKernel.one {
          (to + whole.lowerBound).update(from: from + whole.lowerBound, count: whole.count)
        } else {
          BlendKernel.blend(
            from + whole.lowerBound, into: to + whole.lowerBound, count: whole.count,
            weight: weight)
        }
      }
    }
  }

  private func fill(_ plane: SamplePlane<Sample>, with value: Sample) {
    for y in 0..<plane.height { plane.row(y).update(repeating: value, count: plane.width) }
  }
}

extension PixelBounds {
  /// The 2 × 2 blocks that lie completely inside, by columns and rows of chroma samples.
  var wholeChromaBlocks: PixelBounds {
    PixelBounds(
      left: (left + 1) >> 1, top: (top + 1) >> 1, right: right >> 1, bottom: bottom >> 1)
  }
}
