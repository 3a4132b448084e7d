import Foundation
import Rendering
import Support
import Testing

/// Overlapping a packet with a copied one whose window has another shape.
@Suite(.mayBlock) struct WindowMatchTests {
  private static let length = 1024

  /// Half a sine wave, rising.
  private static let sine = (0..<length).map { sin(.pi / 2048 * (Double($0) + 0.5)) }

  /// Values of the rising Kaiser-Bessel-derived window of AAC: a place, and the values there and at the same distance
  /// from the window's end.
  ///
  /// The definition in ISO/IEC 14496-3, 4.6.11.3.2, with α = 4, evaluated with 40 decimal digits. The standard's own
  /// table, which begins with 0.00029256153896361, 0.00042998567353047 and 0.00054674074589540, differs by up to 1e-11.
  private static let kaiserBessel: [(place: Int, value: Double, mirrored: Double)] = [
    (0, 0.000292561535, 0.999999957204),
    (1, 0.000429985671, 0.999999907556),
    (2, 0.000546740743, 0.999999850537),
    (3, 0.000654823037, 0.999999785603),
    (4, 0.000758701942, 0.999999712186),
    (63, 0.010972028749, 0.999939805481),
    (127, 0.038984616286, 0.999239810903),
    (255, 0.177255594176, 0.984164851198),
    (383, 0.427008355386, 0.904247678698),
    (511, 0.706119339106, 0.708092846272),
  ]

  /// The contribution of a packet to one place of an overlap. Its sound is windowed, folded by the transform and its
  /// inverse, and windowed again.
  ///
  /// - Parameters:
  ///   - sound: the sound at the place and at the mirrored place.
  ///   - window: the value of the first window there.
  ///   - synthesis: the value of the second window at the place.
  private static func contribution(
    of sound: (Double, Double), window: (Double, Double), synthesis: Double, rising: Bool
  ) -> Double {
    let folded = sound.0 * window.0 + (rising ? -1 : 1) * sound.1 * window.1
    return folded * synthesis
  }

  @Test func `the Kaiser-Bessel-derived window is that of the standard`() {
    for (place, value, mirrored) in Self.kaiserBessel {
      let mirror = Self.length - 1 - place
      var click = [Float](repeating: 0, count: Self.length)
      click[place] = 1
      // The window's value at the click is the only unknown in the change at the mirrored place.
      let changed = WindowMatch.matched(click, in: .rising)[mirror]
      let found = Self.sine[place] + Double(changed) / mirrored
      #expect(abs(found - value) < 2e-8, "at \(place): \(found)")
    }
  }

  @Test(arguments: [true, false])
  func `sound encoded with another window overlaps exactly with a copied packet`(
    encodedFollows: Bool
  ) {
    var random = SeededRandom(seed: 7)
    let sound = (0..<Self.length).map { _ in Float.random(in: -0.5...0.5, using: &random) }
    let exact = sound.map(Double.init)
    let encoded = WindowMatch.matched(sound, in: encodedFollows ? .rising : .falling).map(
      Double.init)
    for (first, value, mirrored) in Self.kaiserBessel {
      // The place in the rising half, and then its mirror image.
      for (place, rising) in [
        (first, (value, mirrored)), (Self.length - 1 - first, (mirrored, value)),
      ] {
        let mirror = Self.length - 1 - place
        let falling = (rising.1, rising.0)
        let sine = (rising: Self.sine[place], falling: Self.sine[mirror])
        let copiedPart = Self.contribution(
          of: (exact[place], exact[mirror]),
          window: encodedFollows ? (sine.falling, sine.rising) : (sine.rising, sine.falling),
          synthesis: encodedFollows ? sine.falling : sine.rising, rising: !encodedFollows)
        let encodedPart = Self.contribution(
          of: (encoded[place], encoded[mirror]), window: encodedFollows ? rising : falling,
          synthesis: encodedFollows ? sine.rising : sine.falling, rising: encodedFollows)
        #expect(abs(copiedPart + encodedPart - exact[place]) < 1e-6, "at \(place)")
      }
    }
    // The encoder is given nearly the same sound, so that it makes the same decisions.
    #expect(zip(encoded, exact).allSatisfy { abs($0 - $1) < 0.2 })
  }
}
