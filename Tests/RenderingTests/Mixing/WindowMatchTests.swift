import Foundation
import Rendering
import Support
import Testing

/// Overlapping a packet with a copied one whose window has another shape.
@Suite(.mayBlock) struct WindowMatchTests {
  private static let length = 1024

  /// Half a sine wave, rising.
  private static let sine = (0..<length).map { sin(.pi / 2048 * (Double($0) + 0.5)) }

  /// The Kaiser-Bessel-derived window of AAC, whose first and middle values are in ISO/IEC 14496-3, table 4.A.87.
  private static let kaiserBessel: [Double] = {
    func bessel(_ x: Double) -> Double {
      (0..<60).reduce((sum: 0.0, term: 1.0)) { result, k in
        let number = Double(k + 1)
        return (result.sum + result.term, result.term * (x / 2 / number) * (x / 2 / number))
      }.sum
    }
    let kernel = (0...length).map { place in
      let offset = 2 * Double(place) / Double(length) - 1
      return bessel(.pi * 4 * (1 - offset * offset).squareRoot())
    }
    var (window, sum) = ([Double](), 0.0)
    for value in kernel.prefix(length) {
      sum += value
      window.append((sum / kernel.reduce(0, +)).squareRoot())
    }
    return window
  }()

  /// The contribution of a packet to an overlap: its sound windowed, folded (by the transform and its inverse) and
  /// windowed again.
  private static func overlap(
    _ sound: [Double], analyzedWith analysis: [Double], synthesizedWith synthesis: [Double],
    rising: Bool
  ) -> [Double] {
    let windowed = zip(sound, analysis).map(*)
    let folded = zip(windowed, windowed.reversed()).map { rising ? $0 - $1 : $0 + $1 }
    return zip(folded, synthesis).map(*)
  }

  @Test(arguments: [true, false])
  func `sound encoded with another window overlaps exactly with a copied packet`(
    encodedFollows: Bool
  ) {
    var random = SeededRandom(seed: 7)
    let sound = (0..<Self.length).map { _ in Float.random(in: -0.5...0.5, using: &random) }
    let exact = sound.map(Double.init)
    let (rising, falling) = (Self.sine, Array(Self.sine.reversed()))
    let encoded = WindowMatch.matched(sound, in: encodedFollows ? .rising : .falling).map(
      Double.init)
    let added: [[Double]] =
      encodedFollows
      ? [
        Self.overlap(exact, analyzedWith: falling, synthesizedWith: falling, rising: false),
        Self.overlap(
          encoded, analyzedWith: Self.kaiserBessel, synthesizedWith: rising, rising: true),
      ]
      : [
        Self.overlap(
          encoded, analyzedWith: Self.kaiserBessel.reversed(), synthesizedWith: falling,
          rising: false),
        Self.overlap(exact, analyzedWith: rising, synthesizedWith: rising, rising: true),
      ]
    let heard = zip(added[0], added[1]).map(+)
    #expect(zip(heard, exact).allSatisfy { abs($0 - $1) < 1e-6 })
    // The encoder is given nearly the same sound, so that it makes the same decisions.
    #expect(zip(encoded, exact).allSatisfy { abs($0 - $1) < 0.2 })
  }
}
