/// A breadth-first search of what two coordinators with one ledger can do, for a state that breaks an invariant.
struct OwnershipSearch {
  /// A state that breaks an invariant.
  struct Finding: Hashable, Sendable, CustomStringConvertible {
    let invariant: Invariant
    /// The moves that lead to it. No fewer moves do.
    let moves: [Move]

    var description: String {
      "\(invariant) is broken after \(moves.map { "\($0)" }.joined(separator: ", "))"
    }
  }

  /// One of this many states that were found again is compared with the first one that has its key.
  private static let comparisonInterval = 64

  /// The moves before the search.
  private let start: [Move]
  private let invariants: Set<Invariant>
  /// One of this many new states is the start of a fair run.
  private let fairRunInterval: Int
  /// The first state found that breaks one of the invariants; `nil` if none does.
  private(set) var finding: Finding?
  /// The turning points that were reached.
  private(set) var landmarks: Set<Landmark> = []
  /// The number of fair runs.
  private(set) var fairRuns = 0
  /// The number of comparisons of states that have the same key.
  private(set) var comparisons = 0
  /// The number of those comparisons that showed that the states lead to different ones.
  private(set) var differences = 0

  /// The index of each state that was found.
  private var indices: [[UInt8]: Int] = [:]
  /// The state from which each state was found first, and the move.
  private var origins: [(index: Int, move: Move)?] = []
  private var frontier: [TwoCoordinators]
  /// The index of the first state of the frontier.
  private var frontierStart = 0
  private var repetitions = 0

  /// The number of states that were found.
  var stateCount: Int { origins.count }

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - start: the moves before the search.
  ///   - invariants: the invariants to check.
  ///   - fairRunInterval: one of this many new states is the start of a fair run.
  init(
    _ rule: LedgerRule, after start: [Move] = [], checking invariants: Set<Invariant>,
    fairRunInterval: Int = 16
  ) throws {
    self.start = start
    self.invariants = invariants
    self.fairRunInterval = fairRunInterval
    var state = try TwoCoordinators(rule)
    for move in start { state.make(move) }
    (state.broken, state.landmarks) = ([], [])
    frontier = [state]
    indices[state.key] = 0
    origins = [nil]
  }

  /// Explores all states that a number of moves can reach, unless one breaks an invariant.
  mutating func run(depth: Int) {
    for number in 1...depth where finding == nil { explore(isLast: number == depth) }
  }

  /// Explores the moves from each state of the frontier.
  private mutating func explore(isLast: Bool) {
    var next: [TwoCoordinators] = []
    let nextStart = stateCount
    for (offset, state) in frontier.enumerated() {
      for move in state.moves {
        var result = state
        result.make(move)
        let origin = (index: frontierStart + offset, move: move)
        if note(result.broken, after: origin) { return }
        landmarks.formUnion(result.landmarks)
        (result.broken, result.landmarks) = ([], [])
        let key = result.key
        if let known = indices[key] {
          repetitions += 1
          if repetitions.isMultiple(of: Self.comparisonInterval), known >= nextStart, !isLast {
            compare(result, next[known - nextStart])
          }
          continue
        }
        indices[key] = stateCount
        origins.append(origin)
        if note(result.brokenNow, after: origin) { return }
        guard isCompletedSoon(from: result) else {
          _ = note([.jobCompletes], after: origin)
          return
        }
        // The states that are found last are not explored.
        if !isLast { next.append(result) }
      }
    }
    (frontier, frontierStart) = (next, nextStart)
  }

  /// Notes the first of some invariants that is checked as broken by a move.
  ///
  /// - Returns: whether there is one.
  private mutating func note(_ broken: Set<Invariant>, after origin: (index: Int, move: Move))
    -> Bool
  {
    guard
      let first = Invariant.allCases.first(where: { broken.contains($0) && invariants.contains($0) }
      )
    else { return false }
    finding = Finding(invariant: first, moves: path(to: origin.index) + [origin.move])
    return true
  }

  /// Whether a fair run completes the job and breaks no invariant. It is tried from some states.
  private mutating func isCompletedSoon(from state: TwoCoordinators) -> Bool {
    guard invariants.contains(.jobCompletes), stateCount.isMultiple(of: fairRunInterval) else {
      return true
    }
    fairRuns += 1
    var state = state
    return state.runFairly() && state.broken.isDisjoint(with: invariants)
  }

  /// Compares where two states with the same key lead.
  private mutating func compare(_ state: TwoCoordinators, _ other: TwoCoordinators) {
    comparisons += 1
    if state.successorKeys != other.successorKeys { differences += 1 }
  }

  private func path(to index: Int) -> [Move] {
    var moves: [Move] = []
    var index = index
    while let origin = origins[index] {
      moves.append(origin.move)
      index = origin.index
    }
    return start + moves.reversed()
  }
}

extension TwoCoordinators {
  /// The invariants that this state breaks, regardless of how it was reached.
  fileprivate var brokenNow: Set<Invariant> {
    let isKnown = coordinators.compactMap(\.process).allSatisfy { process in
      !ledger.admits(process.claim, knowing: process.commits, by: rule)
        || process.knows(ledger.contents)
    }
    return isKnown ? [] : [.ownerKnowsLedger]
  }

  /// The keys of the states to which the moves lead.
  fileprivate var successorKeys: Set<[UInt8]> {
    Set(
      moves.map { move in
        var result = self
        result.make(move)
        return result.key
      })
  }
}
