import Rendering
import Support
import Testing

@Suite(.mayBlock) struct BlendKernelTests {
  @Test func `blending equals the scalar reference for every pair of samples`() {
    for weight in [Int16(0), 1, 4095, 8191, 8192, 8193, 12_345, 16_383, 16_384] {
      let source = (0..<65_536).map { UInt8($0 >> 8) }
      var blended = (0..<65_536).map { UInt8($0 & 255) }
      BlendKernel.blend(source, into: &blended, count: blended.count, weight: weight)
      let expected = (0..<65_536).map {
        BlendKernel.reference(
          source: UInt8($0 >> 8), destination: UInt8($0 & 255), weight: weight)
      }
      #expect(blended == expected, "weight \(weight)")
    }
  }

  @Test func `blending touches no sample outside its row, at any length and offset`() {
    var random = SeededRandom(seed: 7)
    for count in 0..<200 {
      let offset = Int.random(in: 0..<33, using: &random)
      let weight = Int16.random(in: 0...BlendKernel.one, using: &random)
      let source = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let before = (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }
      var after = before
      after.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        BlendKernel.blend(source, into: base + offset, count: count, weight: weight)
      }
      var expected = before
      for index in 0..<count {
        expected[offset + index] = BlendKernel.reference(
          source: source[index], destination: before[offset + index], weight: weight)
      }
      #expect(after == expected)
    }
  }

  @Test func `every opacity is within one code value of the exact value`() {
    for step in 0...1000 {
      let opacity = Double(step) / 1000
      let weight = BlendKernel.weight(ofOpacity: opacity)
      for (source, destination) in [(16, 235), (235, 16), (0, 255), (255, 0), (128, 127)] {
        let real = Double(source) * opacity + Double(destination) * (1 - opacity)
        let blended = BlendKernel.reference(
          source: UInt8(source), destination: UInt8(destination), weight: weight)
        #expect(abs(Double(blended) - real) <= 0.52)
      }
    }
  }
}
