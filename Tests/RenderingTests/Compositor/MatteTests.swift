import Rendering
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct MatteTests {
  private static let canvas = PixelBounds(left: 0, top: 0, right: 40, bottom: 30)

  @Test func `the weights of random outlines are the covered areas`() {
    var random = SeededRandom(seed: 8)
    for round in 0..<40 {
      func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
      let transform = AffineTransform(
        a: number(-3...3), b: number(-3...3), c: number(-3...3), d: number(-3...3),
        tx: number(-20...60), ty: number(-20...50))
      let rect = PixelRect(x: 0, y: 0, width: 10, height: 8)
      let outline = ConvexOutline(rect, under: transform).clipped(to: Self.canvas)
      let matte = Matte(outline, within: Self.canvas)
      let reference = AffineReference(transform: transform, shown: rect)
      var greatest = 0.0
      for y in 0..<30 {
        for x in 0..<40 {
          let weight = Double(matte.luma.weights[y * 40 + x]) / Double(BlendKernel.one)
          greatest = max(greatest, abs(weight - reference.coverage(x, y)))
        }
      }
      #expect(greatest < 0.01, "outline \(round)")
    }
  }

  @Test func `the weight of a chroma sample is the mean of its four pixels`() {
    let outline = ConvexOutline(PixelBounds(left: 3, top: 5, right: 20, bottom: 10))
    let matte = Matte(outline, within: Self.canvas)
    let row = Array(matte.chroma.weights[2 * 20..<3 * 20])
    #expect(row[..<1].allSatisfy { $0 == 0 })
    #expect(row[1] == BlendKernel.one / 4)
    #expect(row[2..<10].allSatisfy { $0 == BlendKernel.one / 2 })
    #expect(row[10...].allSatisfy { $0 == 0 })
  }

  @Test func `spans are the visible and the fully covered columns`() {
    let outline = ConvexOutline(
      PixelRect(x: 4.5, y: 2, width: 20, height: 3), under: .identity)
    let spans = Matte(outline, within: Self.canvas).luma.spans
    #expect(spans[1].shown.isEmpty)
    #expect(spans[2].shown == 4..<25)
    #expect(spans[2].whole == 5..<24)
    #expect(spans[5].shown.isEmpty)
  }

  @Test func `the weights of adjoining outlines add up to one`() {
    let corner = AffineTransform(a: 0.8, b: 0.6, c: -0.6, d: 0.8, tx: 17.3, ty: -3.1)
    let weights = [-30.0, 0].map { x in
      let outline = ConvexOutline(
        PixelRect(x: x, y: 0, width: 30, height: 40), under: corner
      ).clipped(to: Self.canvas)
      return Matte(outline, within: Self.canvas).luma.weights
    }
    for index in [20 * 40 + 10, 20 * 40 + 3, 12 * 40 + 8, 25 * 40 + 1] {
      let sum = Int(weights[0][index]) + Int(weights[1][index])
      #expect(abs(sum - Int(BlendKernel.one)) <= 1, "pixel \(index)")
    }
  }
}
