import Media

/// One measurement of an entire mix.
struct LoudnessPass {
  private let meter: LoudnessMeter
  /// The highest true peak of each run of ``Limiter/runLength`` samples.
  private(set) var peaks: [Float] = []

  init(rate: Int, channels: Int) throws {
    meter = try LoudnessMeter(rate: rate, channels: channels)
  }

  /// Adds the next samples, which are whole runs except at the end.
  mutating func add(_ samples: [[Float]]) throws {
    let count = samples.first?.count ?? 0
    for first in stride(from: 0, to: count, by: Limiter.runLength) {
      let peak = try meter.add(samples, first..<min(first + Limiter.runLength, count))
      peaks.append(Float(peak))
    }
  }

  /// The integrated loudness, in LUFS; `nil` for silence.
  var integrated: Double? { get throws { try meter.integrated } }

  /// The highest true peak, in dBTP; `nil` for silence.
  var truePeak: Double? {
    guard let highest = peaks.max(), highest > 0 else { return nil }
    return Decibels.level(Double(highest))
  }
}

/// The gain and the limiter that bring a mix to a loudness.
struct Normalization {
  /// The gain in decibels.
  var gain: Double
  /// The limiter that keeps peaks below the ceiling, if the gain alone would exceed it.
  var limiter: Limiter?

  /// No change.
  static let none = Normalization(gain: 0)

  /// Applies the gain and the limiter to samples. The first one is sample `position` of the mix.
  func apply(to samples: inout [[Float]], at position: Int64) {
    if gain != 0 {
      let factor = Float(Decibels.factor(gain))
      for channel in samples.indices {
        for number in samples[channel].indices { samples[channel][number] *= factor }
      }
    }
    limiter?.apply(to: &samples, at: position)
  }
}
