/// The rule by which a ledger that several coordinators can reach accepts their transactions, or a mutant of it.
///
/// The product's rule is in `LedgerOwnership` and `PostgreSQLLedgerDatabase`.
struct LedgerRule: Hashable, Sendable, CustomStringConvertible {
  /// The part of the owner's row that a transaction compares with the claim of its coordinator.
  enum Fence: Hashable, Sendable {
    /// The epoch and the random token.
    case claim
    /// The epoch without the token.
    case epoch
    /// The coordinator's host name, which another process may have too.
    case name
    /// Nothing: every coordinator may write.
    case nothing
  }

  /// A name for messages.
  let description: String
  var fence = Fence.claim
  /// Whether the row's number of commits must be the last one that the coordinator knows.
  var countsCommits = true
  /// Whether a coordinator that has read the ledger checks that it was not replaced before.
  var checksStart = true
  /// Whether lease tokens are random. Otherwise they are numbers that continue those in the ledger.
  var hasRandomTokens = true

  /// The product's rule.
  static let product = LedgerRule(description: "the product's rule")

  /// Writes are accepted from every coordinator.
  static let noEpochCheck = LedgerRule(
    description: "no epoch check", fence: .nothing, countsCommits: false)
  /// Writes are accepted from every process with the name in the row.
  static let fencingByName = LedgerRule(
    description: "fencing by name", fence: .name, countsCommits: false)
  /// Every process with the name in the row may write, but each must know the number of commits.
  static let fencingByNameAndCount = LedgerRule(
    description: "fencing by name and number of commits", fence: .name)
  /// The token of a claim is not compared.
  static let fencingByEpoch = LedgerRule(description: "fencing by epoch", fence: .epoch)
  /// The owner does not notice that the ledger has lost commits.
  static let noCommitCount = LedgerRule(
    description: "no number of commits", countsCommits: false)
  /// A coordinator may have read the changes of another one that has replaced it.
  static let uncheckedStart = LedgerRule(
    description: "no check after the start", checksStart: false)
  /// Lease tokens are not random.
  static let numberedTokens = LedgerRule(
    description: "numbered lease tokens", hasRandomTokens: false)
}
