import Scheduling

/// The speed of a job over the last while.
package struct ProgressMeter: Sendable {
  /// How far back it looks.
  package static let window = Duration.seconds(15)

  private var samples: [(instant: Instant, frames: Int)] = []

  /// A meter that has seen nothing.
  package init() {}

  /// Notes how many frames are rendered at an instant. Fewer than before (a lease expired) count as none.
  package mutating func note(_ frames: Int, at now: Instant) {
    if let last = samples.last, now - last.instant < .milliseconds(100), samples.count > 1 {
      samples[samples.count - 1].frames = max(last.frames, frames)
    } else {
      samples.append((now, max(frames, samples.last?.frames ?? 0)))
    }
    // One sample before the window stays, so that the window is covered whole.
    while samples.count > 2, now - samples[1].instant > Self.window { samples.removeFirst() }
  }

  /// Frames a second; `nil` before there is anything to go by.
  package func framesPerSecond(at now: Instant) -> Double? {
    guard let first = samples.first, let last = samples.last, last.frames > first.frames else {
      return nil
    }
    let elapsed = (now - first.instant) / .seconds(1)
    return elapsed > 0 ? Double(last.frames - first.frames) / elapsed : nil
  }
}
