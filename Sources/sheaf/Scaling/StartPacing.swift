/// Slows the starts down while they fail, or the workers end without a result.
package struct StartPacing: Hashable, Sendable {
  private let coolDown: Duration
  /// The longest time between two starts.
  package static let longest: Duration = .seconds(600)
  /// The maximum number of workers of one start. Slurm allows array indexes up to 1000.
  package static let largestStart = 1000

  private var failures = 0
  private var nextStart: Duration = .zero
  private var size = Self.largestStart

  package init(coolDown: Duration) { self.coolDown = coolDown }

  /// The number of workers that may be started now.
  package func allowance(at time: Duration) -> Int { time < nextStart ? 0 : size }

  /// Notes that workers were started. The next start may be twice as large.
  package mutating func started(at time: Duration) {
    wait(from: time)
    size = min(size * 2, Self.largestStart)
  }

  /// Notes that a start failed, or that a worker ended without a result although there is work for it. The next start is a
  /// try with one worker.
  package mutating func failed(at time: Duration) {
    failures = min(failures + 1, 20)
    size = 1
    wait(from: time)
  }

  /// Notes that a started worker has completed a segment.
  package mutating func succeeded() { (failures, size) = (0, Self.largestStart) }

  private mutating func wait(from time: Duration) {
    var pause = failures == 0 ? coolDown : max(coolDown, .seconds(1))
    for _ in 0..<failures { pause = min(pause * 2, Self.longest) }
    nextStart = max(nextStart, time + pause)
  }
}
