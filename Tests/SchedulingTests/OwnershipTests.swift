import Scheduling
import Support
import Testing

/// Two coordinators that share a ledger, in every order of their steps up to a number, breadth first and with the
/// product's scheduler.
///
/// The ledger's rule is the one that `LedgerOwnership` and `PostgreSQLLedgerDatabase` enforce. Mutants of it show that
/// each part of the rule is needed, and that the search notices if a part is missing.
@Suite(.mayBlock) struct OwnershipTests {
  @Test func `nothing that two coordinators do breaks an invariant`() throws {
    var search = try OwnershipSearch(.product, checking: Set(Invariant.allCases))
    search.run(depth: Thoroughness.isFull ? 11 : 9)
    print(
      "\(search.stateCount) states, \(search.fairRuns) fair runs, \(search.comparisons) comparisons"
    )
    #expect(search.finding == nil)
    #expect(search.stateCount >= 75_000)
    #expect(search.fairRuns >= 4_500)
    #expect(search.landmarks == Set(Landmark.allCases))
    #expect(search.comparisons >= 500)
    #expect(search.differences == 0, "states with the same key lead to different states")
  }

  @Test func `the job is completed from every state that a few moves reach`() throws {
    var search = try OwnershipSearch(.product, checking: [.jobCompletes], fairRunInterval: 1)
    search.run(depth: Thoroughness.isFull ? 9 : 6)
    #expect(search.finding == nil)
    #expect(search.fairRuns >= 2_900)
  }

  /// The invariants that each mutant breaks.
  private static let mutants: [(rule: LedgerRule, broken: Invariant)] = [
    (.noEpochCheck, .onlyOwnerWrites), (.noEpochCheck, .ownerKnowsLedger),
    (.noEpochCheck, .acceptedStays), (.noEpochCheck, .oneChunk),
    (.fencingByName, .onlyOwnerWrites), (.fencingByName, .ownerKnowsLedger),
    (.fencingByName, .acceptedStays), (.fencingByName, .oneChunk),
    (.fencingByNameAndCount, .onlyOwnerWrites), (.fencingByNameAndCount, .ownerKnowsLedger),
    (.fencingByEpoch, .onlyOwnerWrites),
    (.noCommitCount, .ownerKnowsLedger), (.noCommitCount, .completeFile),
    (.uncheckedStart, .ownerKnowsLedger),
    (.numberedTokens, .distinctTokens),
  ]

  @Test(arguments: mutants)
  func `a weaker rule breaks an invariant`(_ rule: LedgerRule, _ broken: Invariant) throws {
    // A chunk is about to be accepted, and its worker is about to deliver it again.
    let start: [Move] = [
      .ask(worker: 0, of: 0), .offer(worker: 0, to: 0), .giveUp(worker: 0),
    ]
    var search = try OwnershipSearch(rule, after: start, checking: [broken])
    search.run(depth: 8)
    print("\(rule): \(search.finding?.description ?? "nothing"), \(search.stateCount) states")
    #expect(search.finding?.invariant == broken)
  }

  @Test func `a chunk that a replaced coordinator removes from the store is rendered again`() throws
  {
    var state = try TwoCoordinators(.product)
    for move: Move in [
      // The first coordinator starts again after it has stored a chunk, and is about to remove it.
      .ask(worker: 0, of: 0), .offer(worker: 0, to: 0), .kill(0), .claim(0, as: .first),
      .restore(0),
      // It is replaced, and the second one accepts the chunk.
      .expireClaim, .claim(1, as: .second), .restore(1), .offer(worker: 0, to: 1),
      .accept(1, at: 1),
    ] {
      state.make(move)
    }
    #expect(state.ledger.contents.segments[0].state == .completed)
    #expect(state.store == [0])
    state.make(.sweep(0))
    #expect(state.store == [])
    #expect(state.landmarks.contains(.acceptedChunkRemoved))
    let isCompleted = state.runFairly()
    #expect(isCompleted)
    #expect(state.broken == [])
  }
}
