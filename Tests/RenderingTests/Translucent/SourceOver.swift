import Timeline

/// Source-over in real numbers: the expected result of compositing translucent pictures.
struct SourceOver {
  /// Straight red, green, blue and alpha, each from 0 to 1.
  typealias Pixel = SIMD4<Double>

  let width: Int
  let height: Int
  /// The opaque color below, by column and row.
  let background: (Int, Int) -> Pixel
  /// The color above.
  let layer: (Int, Int) -> Pixel
  var opacity = 1.0

  private func mixed(_ x: Int, _ y: Int) -> Pixel {
    let (above, below) = (layer(x, y), background(x, y))
    let alpha = above.w * opacity
    return above * alpha + below * (1 - alpha)
  }

  /// The 8-bit code values of BT.601 in limited range before rounding; chroma is the mean of four pixels.
  var planes: (luma: [Double], cb: [Double], cr: [Double]) {
    let (kr, kb) = (0.299, 0.114)
    var luma: [Double] = []
    func ycc(_ x: Int, _ y: Int) -> (Double, Double, Double) {
      let pixel = mixed(x, y)
      let value = kr * pixel.x + (1 - kr - kb) * pixel.y + kb * pixel.z
      return (
        16 + 219 * value, 128 + 112 * (pixel.z - value) / (1 - kb),
        128 + 112 * (pixel.x - value) / (1 - kr)
      )
    }
    for y in 0..<height { for x in 0..<width { luma.append(ycc(x, y).0) } }
    var (cb, cr): ([Double], [Double]) = ([], [])
    for y in stride(from: 0, to: height, by: 2) {
      for x in stride(from: 0, to: width, by: 2) {
        let block = [(0, 0), (1, 0), (0, 1), (1, 1)].map { ycc(x + $0.0, y + $0.1) }
        cb.append(block.reduce(0) { $0 + $1.1 } / 4)
        cr.append(block.reduce(0) { $0 + $1.2 } / 4)
      }
    }
    return (luma, cb, cr)
  }

  /// The maximum distance of a frame's code values from the expected ones.
  func error(of frame: DecodedFrame) -> Double {
    let wanted = planes
    func distance(_ got: [UInt8], _ wanted: [Double]) -> Double {
      zip(got, wanted).map { abs(Double($0) - $1) }.max() ?? .infinity
    }
    return max(
      distance(frame.luma, wanted.luma), distance(frame.cb, wanted.cb),
      distance(frame.cr, wanted.cr))
  }
}
