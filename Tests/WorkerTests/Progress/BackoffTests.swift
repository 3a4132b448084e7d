import Support
import Testing
import sheaf_worker

@Suite(.mayBlock) struct BackoffTests {
  /// Always returns the largest number, so that waits are as long as possible.
  private struct Largest: RandomNumberGenerator {
    mutating func next() -> UInt64 { .max }
  }

  private struct Smallest: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
  }

  @Test func `waits double up to the cap`() {
    var backoff = Backoff(first: .seconds(1), cap: .seconds(5))
    var generator = Largest()
    let waits = (0..<5).map { _ in backoff.next(using: &generator) / .seconds(1) }
    #expect(waits.map { $0.rounded() } == [1, 2, 4, 5, 5])
  }

  @Test func `a wait is at least half of the maximum`() {
    var backoff = Backoff(first: .seconds(2), cap: .seconds(60))
    var generator = Smallest()
    #expect(backoff.next(using: &generator) == .seconds(1))
  }

  @Test func `a success resets the waits`() {
    var backoff = Backoff(first: .seconds(2), cap: .seconds(60))
    var generator = Smallest()
    _ = backoff.next(using: &generator)
    _ = backoff.next(using: &generator)
    backoff.reset()
    #expect(backoff.next(using: &generator) == .seconds(1))
  }

  @Test func `a thousand failures do not overflow`() {
    var backoff = Backoff(first: .milliseconds(250), cap: .seconds(15))
    var generator = Smallest()
    for _ in 0..<1000 { _ = backoff.next(using: &generator) }
    #expect(backoff.next(using: &generator) == .milliseconds(7500))
  }
}
