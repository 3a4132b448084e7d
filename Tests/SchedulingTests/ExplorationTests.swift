import Scheduling
import Support
import Testing

/// Random sequences of events, checked against rules that must always hold.
@Suite(.mayBlock) struct ExplorationTests {
  /// More than a million events in total.
  @Test(arguments: 1...50)
  func `no segment is lost, accepted twice, or completed without a chunk; every job ends`(
    seed: UInt64
  ) throws {
    var exploration = try Exploration(seed: seed)
    exploration.run(steps: 22_000)
    let naive = exploration.naive
    print(
      "seed \(seed): \(exploration.events) events, \(naive.ended.count) jobs, "
        + "\(naive.copies) copies, \(naive.shared) shared chunks, \(exploration.restarts) restarts")
    #expect(naive.problems == [], "at event \(exploration.events) of seed \(seed)")
    #expect(exploration.events >= 22_000)
    #expect(exploration.restarts > 0)
    #expect(naive.shared > 0)
  }

  @Test func `the explored schedules include every outcome`() throws {
    var ends: Set<NaiveFarm.End> = []
    var kinds: Set<String> = []
    for seed: UInt64 in 101...140 {
      var exploration = try Exploration(seed: seed)
      exploration.run(steps: 10_000)
      ends.formUnion(exploration.naive.ended.values)
      kinds.formUnion(exploration.naive.tally.keys)
    }
    #expect(ends == [.completed, .failed, .cancelled])
    #expect(
      kinds == [
        "completed", "failed", "expired", "stuck", "heldUp", "superseded", "givenBack", "revoked",
        "restartJob", "setAside", "forgetChunk", "held", "distrusted", "confirmed", "undecided",
        "uncompared", "reserve",
      ])
  }
}
