import Foundation

/// Changes a packet's length of sound so that it overlaps exactly with a packet whose window has another shape.
///
/// AAC windows each packet twice, before and after coding, and the sum of two overlapping packets is right only if both
/// had the same window in the range that they share. The decoder uses the window of the packet before. libav's encoder
/// always uses the Kaiser-Bessel-derived window, but many sources use half a sine wave. What a packet contributes to
/// the overlap depends only on `w·x ∓ reversed(w·x)`. So `x` is replaced with the closest samples that contribute with
/// the encoder's window what `x` contributes with the source's window.
package enum WindowMatch {
  /// Which half of its window an encoded packet has in the range.
  package enum Half {
    /// The left half: the packet follows the copied one.
    case rising
    /// The right half: the packet is followed by the copied one.
    case falling
  }

  private static let length = Int(PacketGrid.length)

  /// Half a sine wave, rising.
  private static let sine = (0..<length).map {
    sin(.pi / Double(2 * length) * (Double($0) + 0.5))
  }

  /// The Kaiser-Bessel-derived window with α = 4, rising (ISO/IEC 14496-3, 4.6.11.3.2).
  private static let kaiserBessel: [Double] = {
    let kernel = (0...length).map { place in
      KaiserWindow.height(at: 2 * Double(place) / Double(length) - 1, shape: .pi * 4)
    }
    let total = kernel.reduce(0, +)
    var sum = 0.0
    return kernel.prefix(length).map { value in
      sum += value
      return (sum / total).squareRoot()
    }
  }()

  /// The sound to encode with a Kaiser-Bessel-derived window in place of `samples`, to overlap with a packet that has
  /// half a sine wave.
  package static func matched(_ samples: [Float], in half: Half) -> [Float] {
    (0..<length).map { place in
      let mirrored = length - 1 - place
      // A falling window is the rising one from its end.
      let (own, other) = half == .rising ? (place, mirrored) : (mirrored, place)
      let sign: Double = half == .rising ? -1 : 1
      let missing =
        (sine[own] - kaiserBessel[own]) * Double(samples[place]) + sign
        * (sine[other] - kaiserBessel[other]) * Double(samples[mirrored])
      return Float(Double(samples[place]) + kaiserBessel[own] * missing)
    }
  }
}
