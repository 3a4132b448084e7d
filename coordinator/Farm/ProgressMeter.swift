import Scheduling

/// Measures a job's recent speed.
package struct ProgressMeter: Sendable {
  /// The time over which speed is measured.
  package static let window = Duration.seconds(15)

  private var samples: [(instant: Instant, frames: Int)] = []

  /// A meter that has seen nothing.
  package init() {}

  /// Records how many frames are rendered at an instant. The count never decreases, even if a lease expires.
  package mutating func note(_ frames: Int, at now: Instant) {
    if let last = samples.last, now - last.instant < .milliseconds(100), samples.count > 1 {
      samples[samples.count - 1].frames = max(last.frames, frames)
    } else {
      samples.append((now, max(frames, samples.last?.frames ?? 0)))
    }
    // One sample from before the window stays, so that the samples cover the whole window.
    while samples.count > 2, now - samples[1].instant > Self.window { samples.removeFirst() }
  }

  /// The speed in frames per second; `nil` if there are too few samples.
  package func framesPerSecond(at now: Instant) -> Double? {
    guard let first = samples.first, let last = samples.last, last.frames > first.frames else {
      return nil
    }
    let elapsed = (now - first.instant) / .seconds(1)
    return elapsed > 0 ? Double(last.frames - first.frames) / elapsed : nil
  }
}
