import Timeline

/// A volume over time, sampled on the mix's grid.
///
/// Each sample's gain is computed from its piece's exact beginning, never from the previous sample, so nothing drifts.
struct GainCurve {
  /// A stretch of samples whose gain is `start + slope × (sample − first)`, or that of a curve.
  struct Stretch: Equatable {
    var first: Int64
    var start: Double
    var slope: Double
    var curve: Curve?
  }

  /// A ramp that is not linear. `elapsed` is the part of its time that has passed at the stretch's first sample, `step`
  /// the part that passes per sample.
  struct Curve: Equatable {
    var timing: TimingFunction
    var from: Double
    var to: Double
    var elapsed: Double
    var step: Double

    /// The gain at a sample, counted from the stretch's first; 0 if the curve overshoots below.
    func gain(at sample: Int64) -> Double {
      let time = min(elapsed + step * Double(sample), 1)
      return max(from.interpolated(to: to, fraction: timing.progress(after: time)), 0)
    }
  }

  /// The stretches, ordered by first sample. The first one begins before all samples.
  let stretches: [Stretch]

  /// Creates the gain of `ramps`, which is 1 before the first piece, at `rate` samples per second.
  ///
  /// A piece applies from the first sample at or after its start.
  init(_ ramps: Ramps<Double>, rate: Int) throws {
    let unit = try RationalTime(1, Int64(rate))
    var stretches = [Stretch(first: .min, start: 1, slope: 0)]
    func add(_ stretch: Stretch) {
      while let last = stretches.last, last.first >= stretch.first { stretches.removeLast() }
      stretches.append(stretch)
    }
    for piece in ramps.pieces {
      switch piece {
      case .step(let at, let value):
        add(Stretch(first: try at.ticks(of: unit, rounding: .up), start: value, slope: 0))
      case .ramp(let range, let from, let to, let timing):
        let first = try range.start.ticks(of: unit, rounding: .up)
        let end = try range.end.ticks(of: unit, rounding: .up)
        if end > first {
          let elapsed = try (unit * first - range.start) / range.duration
          let step = try unit / range.duration
          let curve = Curve(
            timing: timing, from: from, to: to, elapsed: elapsed.seconds, step: step.seconds)
          add(
            Stretch(
              first: first, start: from + (to - from) * elapsed.seconds,
              slope: (to - from) * step.seconds, curve: timing == .linear ? nil : curve))
        }
        add(Stretch(first: end, start: to, slope: 0))
      }
    }
    self.stretches = stretches
  }

  /// Adds `samples` to `mix` at this gain. The first one is sample `position` of the mix.
  func add(
    _ samples: UnsafeBufferPointer<Float>, at position: Int64,
    to mix: UnsafeMutableBufferPointer<Float>
  ) {
    let end = position + Int64(samples.count)
    var index = stretches.lastIndex { $0.first <= position } ?? 0
    var sample = position
    while sample < end {
      let stretch = stretches[index]
      let next = index + 1 < stretches.count ? min(stretches[index + 1].first, end) : end
      let (from, to) = (Int(sample - position), Int(next - position))
      if let curve = stretch.curve {
        let begin = sample - stretch.first
        for offset in from..<to {
          mix[offset] += Float(curve.gain(at: begin + Int64(offset - from))) * samples[offset]
        }
      } else if stretch.slope == 0 {
        let gain = Float(stretch.start)
        for offset in from..<to { mix[offset] += gain * samples[offset] }
      } else {
        let begin = sample - stretch.first
        for offset in from..<to {
          let elapsed = Double(begin + Int64(offset - from))
          mix[offset] += Float(stretch.start + stretch.slope * elapsed) * samples[offset]
        }
      }
      sample = next
      index += 1
    }
  }
}
