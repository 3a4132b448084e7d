import Timeline

/// The curves between code values, 0 to 1, and light.
package enum TransferCurve {
  /// The luminance of white in standard dynamic range, and of the same white in high dynamic range, in cd/m² (ITU-R
  /// BT.2408-5, table 1).
  package static let white = 203.0
  /// The luminance of PQ's highest code value, in cd/m².
  package static let brightest = 10_000.0
  /// The peak luminance of the nominal HLG display, in cd/m² (ITU-R BT.2100-2, table 5).
  package static let hybridPeak = 1000.0
  /// The system gamma of that display (ITU-R BT.2100-2, table 5).
  package static let hybridGamma = 1.2

  /// The light of a code value of standard dynamic range, 1 for white: BT.1886 with a black of 0.
  package static func standardLight(_ value: Double) -> Double {
    value < 0 ? -Power.of(-value, 2.4) : Power.of(value, 2.4)
  }

  /// The inverse of ``standardLight(_:)``.
  package static func standardValue(_ light: Double) -> Double {
    light < 0 ? -Power.of(-light, 1 / 2.4) : Power.of(light, 1 / 2.4)
  }

  private static let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
  private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)

  /// PQ's EOTF (BT.2100-2, table 4), in cd/m².
  package static func quantizedLight(_ value: Double) -> Double {
    let root = Power.of(min(value, 1), 1 / m2)
    return brightest * Power.of(max(root - c1, 0) / (c2 - c3 * root), 1 / m1)
  }

  /// The inverse of ``quantizedLight(_:)``.
  package static func quantizedValue(_ luminance: Double) -> Double {
    let power = Power.of(min(luminance / brightest, 1), m1)
    return Power.of((c1 + c2 * power) / (1 + c3 * power), m2)
  }

  private static let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)

  /// The inverse of HLG's OETF (BT.2100-2, table 5): light of the scene, 0 to 1.
  package static func sceneLight(_ value: Double) -> Double {
    if value <= 0.5 { return value < 0 ? 0 : value * value / 3 }
    return (Power.exponential((value - c) / a) + b) / 12
  }

  package static func sceneValue(_ light: Double) -> Double {
    if light <= 1.0 / 12 { return max(3 * light, 0).squareRoot() }
    return a * Power.logarithm(12 * light - b) + c
  }

  /// The EETF of ITU-R BT.2390-8, section 5.4.1: the luminance at which a display with the peak ``white`` shows
  /// `luminance` of a source with the peak `peak`, both with a black of 0.
  package static func toneMapped(_ luminance: Double, peak: Double) -> Double {
    guard peak > white else { return min(luminance, white) }
    let top = quantizedValue(peak)
    let value = min(quantizedValue(luminance) / top, 1)
    let limit = quantizedValue(white) / top
    let knee = 1.5 * limit - 0.5
    guard value > knee else { return luminance }
    let t = (value - knee) / (1 - knee)
    let (t2, t3) = (t * t, t * t * t)
    let mapped =
      (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * limit
    return quantizedLight(mapped * top)
  }
}
