/// A rule that holds in every state of two coordinators that share a ledger.
///
/// A failover may lose the acceptance of a chunk, and a chunk may be missing from the store. Neither breaks a rule,
/// because the segment is rendered again: the job must still be completed. Fencing alone does not protect a ledger that
/// has lost commits: its owner must also notice the loss, which is why there is ``ownerKnowsLedger``.
enum Invariant: String, Hashable, Sendable, CaseIterable {
  /// A segment that has a chunk is not given another one: of several leases on it, at most one is accepted.
  case oneChunk
  /// A segment keeps an accepted chunk, unless a failover loses the commit or the file is missing from the store.
  case acceptedStays
  /// Only the process whose claim the ledger has changes the ledger.
  case onlyOwnerWrites
  /// The segments and leases that a process knows are those in the ledger, if the ledger would let it write.
  case ownerKnowsLedger
  /// A completed job has a chunk of every segment.
  case completeFile
  /// No lease gets a token that another lease in the ledger has, or that a worker still holds. The model assumes this
  /// of random tokens. A mutant shows that other tokens would not do.
  case distinctTokens
  /// If nothing fails any more, the job is completed soon.
  case jobCompletes
}
