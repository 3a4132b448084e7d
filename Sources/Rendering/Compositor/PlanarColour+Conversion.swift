import Media
import Timeline

extension PlanarColour {
  /// The code values of an sRGB colour in limited range, by the matrix of ITU-R BT.709 for pictures of 720 rows or
  /// more and of BT.601 for smaller ones, as players assume of untagged files.
  package init(_ colour: Colour, renderHeight: Int) {
    // Kr and Kb of BT.709-6 item 3.2 and BT.601-7 item 2.5.1.
    let (kr, kb) = renderHeight >= 720 ? (0.2126, 0.0722) : (0.299, 0.114)
    let (red, green, blue) = (
      Double(colour.red) / 255, Double(colour.green) / 255, Double(colour.blue) / 255
    )
    let luma = kr * red + (1 - kr - kb) * green + kb * blue
    let cb = (blue - luma) / (2 * (1 - kb))
    let cr = (red - luma) / (2 * (1 - kr))
    let step = Double(1 << (Sample.bitDepth - 8))
    self.init(
      luma: Sample(((16 + 219 * luma) * step).rounded()),
      cb: Sample(((128 + 224 * cb) * step).rounded()),
      cr: Sample(((128 + 224 * cr) * step).rounded()))
  }
}
