/// A position in the history of a ledger on a server, which may lose its last commits.
package struct LedgerPosition: Hashable, Sendable {
  /// The ledger's random identity.
  package let ledger: String
  /// The number of commits.
  package let commits: Int

  package init(ledger: String, commits: Int) {
    (self.ledger, self.commits) = (ledger, commits)
  }
}
