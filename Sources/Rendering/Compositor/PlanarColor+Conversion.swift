import Media
import Timeline

extension PlanarColor {
  /// The code values of an sRGB color in a color space.
  package init(_ color: Color, in space: ColorSpace) {
    var components = [color.red, color.green, color.blue].map { Double($0) / 255 }
    var plain = space
    (plain.primaries, plain.transfer) = (.bt709, .standard)
    if let conversion = ColorConversion(from: plain, to: space) {
      components = conversion.converted(components)
    }
    let (kr, kb) = space.matrix.weights
    let luma = kr * components[0] + (1 - kr - kb) * components[1] + kb * components[2]
    let cb = (components[2] - luma) / (2 * (1 - kb))
    let cr = (components[0] - luma) / (2 * (1 - kr))
    let codes = space.quantization(depth: Sample.bitDepth)
    func sample(_ code: Double) -> Sample {
      Sample(min(max(code.rounded(), 0), Double(Sample.highest)))
    }
    self.init(
      luma: sample(codes.black + codes.luma * luma),
      cb: sample(codes.neutral + codes.chroma * cb),
      cr: sample(codes.neutral + codes.chroma * cr))
  }
}
