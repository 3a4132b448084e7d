/// A turning point of an exploration. An exploration without it would prove little.
enum Landmark: Hashable, Sendable, CaseIterable {
  /// A process that another one has replaced wants to write, and stops.
  case replacedProcessStops
  /// The owner wants to write after a failover that lost its last commits, and stops.
  case mistakenOwnerStops
  /// A failover loses the acceptance of a chunk.
  case acceptanceLost
  /// A failover loses a claim, so that a process that was replaced owns the ledger again.
  case claimLost
  /// A process that does not own the ledger removes an accepted chunk from the store.
  case acceptedChunkRemoved
  /// A worker learns from another coordinator that its chunk was accepted.
  case acceptedBefore
  /// The job is completed.
  case jobCompleted
}
