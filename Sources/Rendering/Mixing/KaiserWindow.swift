/// The Kaiser window, which concentrates its spectrum in a main lobe.
enum KaiserWindow {
  /// The height of a window that is 1 at both edges, not 1 in the middle.
  ///
  /// - Parameters:
  ///   - offset: the place, from −1 to 1; 0 is the middle.
  ///   - shape: the width of the main lobe, often called β, or πα.
  static func height(at offset: Double, shape: Double) -> Double {
    bessel(shape * (1 - offset * offset).squareRoot())
  }

  /// The modified Bessel function of the first kind and order 0, by its series.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term, number) = (1.0, 1.0, 1.0)
    while term > sum * 1e-17 {
      term *= (x / 2 / number) * (x / 2 / number)
      sum += term
      number += 1
    }
    return sum
  }
}
