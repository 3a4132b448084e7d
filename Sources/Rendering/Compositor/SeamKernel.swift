import Media

/// Composites the chroma samples that a layer covers only partially.
///
/// Such a sample is the mean of what its four pixels show. Each pixel is composited separately through all layers, in
/// real numbers, and the mean is rounded once. This concerns at most two columns and two rows of samples per layer.
enum SeamKernel {
  /// Replaces the chroma of every block that an edge of a layer passes through. The layers are topmost first.
  static func mend<Sample: PictureSample>(
    _ layers: [PlacedLayer<Sample>], over background: PlanarColor<Sample>,
    in picture: PlanarPicture<Sample>
  ) {
    for layer in layers {
      let edges = layer.coverage
      let blocks = PixelBounds(
        left: edges.left >> 1, top: edges.top >> 1, right: (edges.right + 1) >> 1,
        bottom: (edges.bottom + 1) >> 1)
      for column in [edges.left, edges.right] where column & 1 == 1 {
        for row in blocks.top..<blocks.bottom {
          mendBlock(column >> 1, row, layers, background, picture)
        }
      }
      for row in [edges.top, edges.bottom] where row & 1 == 1 {
        for column in blocks.left..<blocks.right {
          mendBlock(column, row >> 1, layers, background, picture)
        }
      }
    }
  }

  private static func mendBlock<Sample: PictureSample>(
    _ column: Int, _ row: Int, _ layers: [PlacedLayer<Sample>],
    _ background: PlanarColor<Sample>, _ picture: PlanarPicture<Sample>
  ) {
    var (cb, cr) = (0.0, 0.0)
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
      let (x, y) = (2 * column + x, 2 * row + y)
      var pixel = (cb: Double(background.cb), cr: Double(background.cr))
      for layer in layers.reversed() where layer.coverage.contains(x: x, y: y) {
        let opacity = layer.opacity(atColumn: x, row: y)
        let top = (
          layer.chroma(layer.picture.cb, atColumn: x, row: y),
          layer.chroma(layer.picture.cr, atColumn: x, row: y)
        )
        pixel.cb += (top.0 - pixel.cb) * opacity
        pixel.cr += (top.1 - pixel.cr) * opacity
      }
      cb += pixel.cb
      cr += pixel.cr
    }
    picture.cb.row(row)[column] = Sample((cb / 4).rounded())
    picture.cr.row(row)[column] = Sample((cr / 4).rounded())
  }
}
