import Foundation

/// A windowed sinc that interpolates between the samples of a sound, and filters out what would alias at a faster
/// speed.
struct SincKernel {
  /// Zero crossings on each side.
  private static let crossings = 32
  /// The Kaiser window's shape, for a stop band at −80 dB.
  private static let beta = 8.0
  /// The edge of the pass band, as a fraction of half the lower of the two sample rates.
  private static let band = 0.92
  /// Table entries from one zero crossing to the next; values between them are interpolated linearly.
  private static let resolution = 512

  /// Sinc times window from the middle to the last zero crossing.
  private static let table: [Double] = (0...crossings * resolution + 1).map { entry in
    let place = Double(entry) / Double(resolution)
    let part = place / Double(crossings)
    guard part < 1 else { return 0 }
    let window =
      KaiserWindow.height(at: part, shape: beta) / KaiserWindow.height(at: 0, shape: beta)
    return place == 0 ? 1 : sin(.pi * place) / (.pi * place) * window
  }

  /// The number of samples before the place that have weights; after it, one more has.
  private(set) var reach = 0
  private var scale = 1.0
  private var weights: [Double] = []

  /// The ``reach`` for a speed.
  static func reach(forSpeed speed: Double) -> Int {
    Int((Double(crossings) / scale(forSpeed: speed)).rounded(.up))
  }

  private static func scale(forSpeed speed: Double) -> Double { band / max(speed, 1) }

  /// Sets the band for a speed, in samples of the source per sample of the mix.
  mutating func prepare(forSpeed speed: Double) {
    scale = Self.scale(forSpeed: speed)
    reach = Self.reach(forSpeed: speed)
    weights = [Double](repeating: 0, count: 2 * reach + 2)
  }

  /// Computes the weights of the samples around a place, from `reach` before the sample at or before it to `reach + 1`
  /// after. They add up to 1.
  mutating func weigh(fraction: Double) {
    let step = scale * Double(Self.resolution)
    let last = Double(Self.crossings * Self.resolution)
    var sum = 0.0
    Self.table.withUnsafeBufferPointer { table in
      for number in weights.indices {
        let position = abs(Double(number - reach) - fraction) * step
        guard position < last else {
          weights[number] = 0
          continue
        }
        let entry = Int(position)
        let value = table[entry] + (table[entry + 1] - table[entry]) * (position - Double(entry))
        weights[number] = value
        sum += value
      }
    }
    for number in weights.indices { weights[number] /= sum }
  }

  /// The weighted sum of samples.
  func sum(of samples: [Float], from first: Int) -> Float {
    weights.withUnsafeBufferPointer { weights in
      samples.withUnsafeBufferPointer { samples in
        var sum = 0.0
        for number in weights.indices { sum += weights[number] * Double(samples[first + number]) }
        return Float(sum)
      }
    }
  }
}
