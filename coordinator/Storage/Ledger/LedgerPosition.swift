/// A position in a ledger's history. A ledger on a server may lose its last commits, and then returns to an earlier
/// position.
package struct LedgerPosition: Hashable, Sendable {
  /// The ledger's random identity.
  package let ledger: String
  /// The number of commits.
  package let commits: Int
}
