import Foundation

/// A gain that keeps true peaks below a ceiling: down before a peak comes, and up again slowly.
///
/// It is worked out for the whole mix from the peak of each run of ``runLength`` samples, so it looks ahead as far as it
/// likes and does not depend on how the mix is cut into blocks.
struct Limiter {
  /// Samples whose highest peak counts as one.
  static let runLength = 128
  /// Runs that the gain takes to come down: about 10 ms.
  private static let lookAhead = 4
  /// How fast the gain comes up: to within 1/e of what it was, in seconds.
  private static let release = 0.2

  /// The gain at the start of each run; within runs it moves in a straight line.
  private let gains: [Float]

  /// The limiter for peaks, one a run, that are to be multiplied by a gain.
  init(peaks: [Float], gain: Double, ceiling: Double, rate: Int) {
    let needed = peaks.map { peak in
      let level = Double(peak) * gain
      return level > ceiling ? ceiling / level : 1
    }
    let rise = 1 - exp(-Double(Self.runLength) / (Double(rate) * Self.release))
    // A meter's peak may show a little after its sample: a run counts for those beside it too.
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

  /// Multiplies samples, the first of which is sample `position` of the mix, by the gain.
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
