import Timeline

/// The gain of a ducked sound, sampled on the mix's grid.
///
/// It depends only on when the other sounds are heard, and not on how the mix is divided into blocks.
struct DuckingCurve {
  /// The ranges of samples in which other sounds are heard, in order. Ranges between which the gain cannot rise are
  /// joined.
  private let heard: [Range<Int64>]
  private let gain: Double
  private let attack: Int64
  private let hold: Int64
  private let release: Int64

  /// Creates the curve for a mix in which other sounds are heard in the given ranges, which are in order.
  init(_ ducking: Ducking, heard: [Range<Int64>], rate: Int) throws {
    let unit = try RationalTime(1, Int64(rate))
    attack = try ducking.attack.ticks(of: unit, rounding: .nearest)
    hold = try ducking.hold.ticks(of: unit, rounding: .nearest)
    release = try ducking.release.ticks(of: unit, rounding: .nearest)
    gain = ducking.to
    var merged: [Range<Int64>] = []
    for range in heard {
      if let last = merged.last, range.lowerBound - attack <= last.upperBound + hold {
        merged[merged.count - 1] = last.lowerBound..<range.upperBound
      } else {
        merged.append(range)
      }
    }
    self.heard = merged
  }

  /// Multiplies samples by the gain. The first one is sample `position` of the mix.
  func apply(to samples: inout [[Float]], at position: Int64) {
    guard !heard.isEmpty, let count = samples.first?.count else { return }
    var next = firstRange(after: position)
    for number in 0..<count {
      let sample = position + Int64(number)
      while next < heard.count, heard[next].lowerBound <= sample { next += 1 }
      let depth = depth(at: sample, next: next)
      guard depth > 0 else { continue }
      let factor = Float(depth == 1 ? gain : Decibels.power(of: gain, depth))
      for channel in samples.indices { samples[channel][number] *= factor }
    }
  }

  /// How far the gain has fallen, in proportion to its decibels: 0 is not at all, 1 is completely.
  ///
  /// - Parameter next: the index of the first range that begins after the sample.
  private func depth(at sample: Int64, next: Int) -> Double {
    var depth = 0.0
    if next > 0 {
      let since = sample - heard[next - 1].upperBound - hold
      if since < 0 { return 1 }
      if since < release { depth = 1 - Double(since) / Double(release) }
    }
    if next < heard.count {
      let until = heard[next].lowerBound - sample
      if until < attack { depth = max(depth, 1 - Double(until) / Double(attack)) }
    }
    return depth
  }

  private func firstRange(after sample: Int64) -> Int {
    var (low, high) = (0, heard.count)
    while low < high {
      let middle = (low + high) / 2
      if heard[middle].lowerBound <= sample { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Detects when a sound is heard: the hundredths of a second in which its loudest channel reaches a threshold.
struct HearingDetector {
  private let hop: Int
  /// The threshold as a mean square.
  private let power: Double
  private var sums: [Double]
  private var counted = 0
  /// The first sample of the current hundredth of a second.
  private(set) var position: Int64
  /// The ranges of samples in which the sound has been heard so far.
  private(set) var heard: [Range<Int64>] = []

  /// Creates a detector that begins with the hundredth of a second that contains a sample. All before it is silent.
  ///
  /// - Parameters:
  ///   - threshold: the threshold in decibels relative to full scale.
  ///   - first: the sample.
  init(threshold: Double, rate: Int, channels: Int, beginningAt first: Int64) {
    hop = max(rate / 100, 1)
    position = first / Int64(hop) * Int64(hop)
    power = Decibels.factor(threshold) * Decibels.factor(threshold)
    sums = Array(repeating: 0, count: channels)
  }

  /// Adds the next samples, per channel.
  mutating func add(_ samples: [[Float]]) {
    let count = samples.first?.count ?? 0
    var first = 0
    while first < count {
      let end = min(count, first + hop - counted)
      for channel in samples.indices {
        for number in first..<end {
          let sample = Double(samples[channel][number])
          sums[channel] += sample * sample
        }
      }
      counted += end - first
      first = end
      if counted == hop { finishHop() }
    }
  }

  /// Ends the sound.
  mutating func finish() { if counted > 0 { finishHop() } }

  private mutating func finishHop() {
    let end = position + Int64(counted)
    if (sums.max() ?? 0) >= power * Double(counted) {
      if let last = heard.last, last.upperBound == position {
        heard[heard.count - 1] = last.lowerBound..<end
      } else {
        heard.append(position..<end)
      }
    }
    position = end
    counted = 0
    for channel in sums.indices { sums[channel] = 0 }
  }
}
