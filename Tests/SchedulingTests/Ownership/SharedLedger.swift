/// A ledger on a server that two coordinators can reach. A failover may lose its last transactions.
struct SharedLedger: Hashable, Sendable {
  /// The number of transactions that a failover may lose.
  static let losable = 2

  private(set) var contents = LedgerContents()
  /// The contents before each of the last transactions, the latest last.
  private(set) var earlier: [LedgerContents] = []
  /// Whether the owner's claim was released or has expired by the database's clock. A failover does not turn the clock
  /// back, but nothing is lost if it seems to: a claim may expire at any time.
  var isExpired = true

  /// All tokens of claims that the ledger has or may get back in a failover.
  var claims: [Int] { earlier.map(\.owner.token) + [contents.owner.token] }

  /// Whether the rule lets the process with a claim write, whose last known number of commits is given.
  func admits(_ claim: Claim, knowing commits: Int, by rule: LedgerRule) -> Bool {
    let isOwner =
      switch rule.fence {
      case .claim: contents.owner.epoch == claim.epoch && contents.owner.token == claim.token
      case .epoch: contents.owner.epoch == claim.epoch
      case .name: contents.owner.name == claim.name
      case .nothing: true
      }
    return isOwner && (!rule.countsCommits || contents.commits == commits)
  }

  /// Replaces the claim in a transaction.
  ///
  /// - Returns: the new claim.
  mutating func claim(token: Int, name: Claim.HostName) -> Claim {
    keepContents()
    contents.owner = Claim(epoch: contents.owner.epoch + 1, token: token, name: name)
    isExpired = false
    return contents.owner
  }

  /// Lets the standby receive all transactions, so that a failover does not lose them.
  mutating func replicate() { earlier = [] }

  /// Makes changes in a transaction, and returns the invariants that it breaks.
  mutating func commit(_ changes: [LedgerContents.Change]) -> [Invariant] {
    keepContents()
    contents.commits += 1
    let before = contents.segments
    var broken = changes.flatMap { contents.apply($0) }
    for (segment, row) in before.enumerated()
    where row.state == .completed && contents.segments[segment] != row
      && !changes.contains(.drop(segment: segment))
    {
      broken.append(.acceptedStays)
    }
    if contents.job == .completed, contents.segments.contains(where: { $0.state != .completed }) {
      broken.append(.completeFile)
    }
    return broken
  }

  private mutating func keepContents() {
    earlier = (earlier + [contents]).suffix(Self.losable)
  }

  /// Continues without the last transactions, as a standby does that has not received them.
  mutating func lose(_ count: Int) {
    for _ in 0..<count {
      guard let last = earlier.popLast() else { return }
      contents = last
    }
    isExpired = false
  }
}
