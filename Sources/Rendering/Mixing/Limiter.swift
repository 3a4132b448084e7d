import Foundation

/// A gain that keeps true peaks below a ceiling: it falls before a peak, and rises slowly afterwards.
///
/// It is computed for the whole mix from the peak of each run of ``runLength`` samples, so it can look ahead and does
/// not depend on how the mix is divided into blocks.
struct Limiter {
  /// The number of samples in a run, of which only the highest peak counts.
  static let runLength = 128
  /// The number of runs over which the gain falls: about 10 ms.
  private static let lookAhead = 4
  /// The time constant of the rising gain, in seconds.
  private static let release = 0.2

  /// The gain at the start of each run; within runs, it is interpolated linearly.
  private let gains: [Float]

  /// Creates the limiter for a mix with the given peaks, one per run, that is multiplied by a gain.
  init(peaks: [Float], gain: Double, ceiling: Double, rate: Int) {
    let needed = peaks.map { peak in
      let level = Double(peak) * gain
      return level > ceiling ? ceiling / level : 1
    }
    let rise = 1 - exp(-Double(Self.runLength) / (Double(rate) * Self.release))
    // A meter may show a peak slightly after its sample, so the peak of a run also counts for its neighbors.
    var (held, recent): (Double, [Double]) = (1, [])
    var gains: [Float] = []
    gains.reserveCapacity(needed.count + 1)
    for run in 0...needed.count {
      let first = max(run - 2, 0)
      let last = min(run + Self.lookAhead + 1, needed.count - 1)
      let lowest = first <= last ? needed[first...last].min() ?? 1 : 1
      held = min(lowest, held + (1 - held) * rise)
      recent.append(held)
      if recent.count > Self.lookAhead + 1 { recent.removeFirst() }
      gains.append(Float(recent.reduce(0, +) / Double(recent.count)))
    }
    self.gains = gains
  }

  /// Multiplies samples by the gain. The first one is sample `position` of the mix.
  func apply(to samples: inout [[Float]], at position: Int64) {
    guard let count = samples.first?.count else { return }
    for number in 0..<count {
      let (run, offset) = (position + Int64(number)).quotientAndRemainder(
        dividingBy: Int64(Self.runLength))
      let (from, to) = (gains[Int(run)], gains[min(Int(run) + 1, gains.count - 1)])
      let gain = from + (to - from) * Float(offset) / Float(Self.runLength)
      guard gain != 1 else { continue }
      for channel in samples.indices { samples[channel][number] *= gain }
    }
  }
}
