import Media
import Support
import Testing

@Suite(.mayBlock) struct DecodingTimesTests {
  private func times(_ shown: [Int64], depth: Int, lasting duration: Int64 = 10) -> [Int64] {
    var times = DecodingTimes(depth: depth, ticksPerSecond: 1000)
    return shown.map { times.next(presentedAt: $0, lasting: duration) }
  }

  @Test func `pictures in order are decoded when they are presented`() {
    #expect(times([5, 15, 25], depth: 0) == [5, 15, 25])
  }

  @Test func `pictures that are reordered are decoded in time`() {
    // I, P, B, B, P, B, B, of which one is waited for.
    #expect(times([0, 30, 10, 20, 60, 40, 50], depth: 1) == [-10, 0, 10, 20, 30, 40, 50])
    // A pyramid.
    #expect(times([0, 40, 20, 10, 30, 80], depth: 2) == [-20, -10, 0, 10, 20, 30])
  }

  @Test func `a depth that is too small grows, and times never go back`() {
    let shown: [Int64] = [0, 40, 20, 10, 30, 80, 60, 50, 70, 120, 100, 90, 110]
    let decoded = times(shown, depth: 0)
    #expect(zip(decoded, decoded.dropFirst()).allSatisfy { $0 < $1 })
    #expect(zip(decoded, shown).dropFirst(5).allSatisfy { $0 <= $1 })
  }

  @Test func `a jump of the times begins anew`() {
    #expect(
      times([0, 30, 10, 90_000, 90_030, 90_010], depth: 1).suffix(3) == [89_990, 90_000, 90_010])
    #expect(times([90_000, 90_010, 0, 10], depth: 0) == [90_000, 90_010, 0, 10])
  }

  @Test func `unknown lengths leave one tick between the first pictures`() {
    #expect(times([100, 400, 200], depth: 2, lasting: 0) == [98, 99, 100])
  }
}
