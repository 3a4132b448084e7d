/// How the workers of one start differ, so that they neither begin nor end at the same time.
///
/// Each worker begins up to a second after the one before, and its lifetime is shorter by at least two seconds, so that it
/// also ends earlier. After ``steps`` workers, this repeats. No lifetime is shorter by more than a tenth.
package struct Stagger: Hashable, Sendable {
  /// The number of workers that differ.
  package let steps: Int
  /// By how many seconds a lifetime is shorter than the one before.
  package let shortening: Int
  private let lifetime: Int

  /// Creates the differences between workers with a lifetime in seconds.
  package init(lifetime: Int) {
    let spread = lifetime / 10
    steps = min(max(1, spread / 2), 60)
    shortening = spread / steps
    self.lifetime = lifetime
  }

  /// The pause between two workers of a start that begin as soon as they are started.
  static func pause(starting count: Int) -> Duration {
    min(.milliseconds(250), .seconds(15) / max(1, count))
  }

  /// The lifetime of a worker in seconds, which begins after the delay.
  package func lifetime(at index: Int) -> Int { lifetime - index % steps * shortening }
}
