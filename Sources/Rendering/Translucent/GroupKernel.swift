import Media

/// Composites the layers of a group over transparency, row by row, so that the group can fade as one.
///
/// Each plane is composited with source-over, with the weight of each layer's samples as alpha. The result has straight
/// colors and their weights.
struct GroupKernel<Sample: PictureSample> {
  struct Layer {
    /// The samples; column 0 of row 0 lies at `left`, `top`.
    var plane: SamplePlane<Sample>
    /// The layer's first column in the group's plane.
    var left: Int
    /// The layer's first row in the group's plane.
    var top: Int
    /// The weight of each sample; `nil` if all have the full weight.
    var matte: MattePlane?
    /// The weight of the whole layer, up to ``BlendKernel/one``.
    var weight: Int16
  }

  /// Composites a plane.
  ///
  /// - Parameters:
  ///   - layers: the layers, lowest first.
  ///   - plane: the plane that the colors are written to.
  /// - Returns: the weights of the colors, row by row.
  static func composite(_ layers: [Layer], into plane: SamplePlane<Sample>) -> [Int16] {
    let width = plane.width
    // Colors multiplied by alpha, and alpha from 0 to 1.
    var colors = [Float](repeating: 0, count: width)
    var alphas = [Float](repeating: 0, count: width)
    let one = Float(BlendKernel.one)
    var weights = [Int16](repeating: 0, count: width * plane.height)
    for row in 0..<plane.height {
      for column in 0..<width { (colors[column], alphas[column]) = (0, 0) }
      for layer in layers {
        let line = row - layer.top
        guard line >= 0, line < layer.plane.height else { continue }
        add(layer, line: line, to: &colors, &alphas)
      }
      let target = plane.row(row)
      weights.withUnsafeMutableBufferPointer { weights in
        for column in 0..<width {
          let alpha = alphas[column]
          let color = colors[column] / max(alpha, 1e-6) + 0.5
          target[column] = Sample(truncatingIfNeeded: Int32(min(color, Float(Sample.highest))))
          weights[row * width + column] = Int16(alpha * one + 0.5)
        }
      }
    }
    return weights
  }

  private static func add(
    _ layer: Layer, line: Int, to colors: inout [Float], _ alphas: inout [Float]
  ) {
    let scale = 1 / Float(BlendKernel.one)
    let samples = layer.plane.row(line)
    let all = Float(layer.weight) * scale
    let shown = layer.matte?.spans[line].shown ?? 0..<layer.plane.width
    func add(_ columns: Range<Int>, _ weight: (Int) -> Float) {
      colors.withUnsafeMutableBufferPointer { colors in
        alphas.withUnsafeMutableBufferPointer { alphas in
          for column in columns {
            let (own, place) = (weight(column), layer.left + column)
            colors[place] += (Float(samples[column]) - colors[place]) * own
            alphas[place] += (1 - alphas[place]) * own
          }
        }
      }
    }
    guard let matte = layer.matte else {
      add(shown) { _ in all }
      return
    }
    let start = line * matte.width
    matte.weights.withUnsafeBufferPointer { weights in
      add(shown) { Float(weights[start + $0]) * scale * all }
    }
  }
}
