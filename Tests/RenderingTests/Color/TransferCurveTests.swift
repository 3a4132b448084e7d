import Rendering
import Support
import Testing

import func Foundation.exp
import func Foundation.log
import func Foundation.pow

@Suite(.mayBlock) struct TransferCurveTests {
  @Test func `powers equal those of the C library to 13 digits`() {
    for base in [1e-12, 1e-5, 0.003, 0.18, 0.5, 0.999, 1, 1.7, 49.2, 10_000] {
      let wanted: Double = log(base)
      #expect(abs(Power.logarithm(base) - wanted) <= 1e-13 * max(abs(wanted), 1))
      for exponent in [0.1593017578125, 1 / 2.4, 0.2, 1, 2.4, 6.27, 78.84375] {
        let wanted: Double = pow(base, exponent)
        #expect(abs(Power.of(base, exponent) - wanted) <= 1e-12 * wanted)
      }
    }
    for number in [-30.5, -1, -1e-9, 0, 0.3, 12.75] {
      let wanted: Double = exp(number)
      #expect(abs(Power.exponential(number) - wanted) <= 1e-13 * wanted)
    }
  }

  /// Values of BT.2408-5, table 1.
  @Test(arguments: [(0.0, 0.0), (26.0, 0.38), (203.0, 0.58), (1000.0, 0.75), (10_000.0, 1.0)])
  func `PQ codes luminances as BT.2408 specifies`(luminance: Double, value: Double) {
    #expect(abs(TransferCurve.quantizedValue(luminance) - value) < 0.005)
    let back = TransferCurve.quantizedLight(TransferCurve.quantizedValue(luminance))
    #expect(abs(back - luminance) <= 1e-9 * max(luminance, 1))
  }

  @Test(arguments: [(0.0, 0.0), (1.0 / 12, 0.5), (0.26496, 0.75), (1.0, 1.0)])
  func `HLG codes light as BT.2100 specifies`(light: Double, value: Double) {
    #expect(abs(TransferCurve.sceneValue(light) - value) < 1e-4)
    #expect(abs(TransferCurve.sceneLight(value) - light) < 1e-4)
  }

  @Test func `tone mapping keeps dark values, never falls, and ends at white`() {
    #expect(TransferCurve.toneMapped(20, peak: 1000) == 20)
    #expect(abs(TransferCurve.toneMapped(1000, peak: 1000) - TransferCurve.white) < 1e-6)
    #expect(abs(TransferCurve.toneMapped(4000, peak: 1000) - TransferCurve.white) < 1e-6)
    var last = 0.0
    for step in 1...1000 {
      let mapped = TransferCurve.toneMapped(Double(step), peak: 1000)
      #expect(mapped > last && mapped <= Double(step) + 1e-9)
      last = mapped
    }
  }
}
