/// The part of a ledger that records the farm's transitions.
package protocol TransitionStore {
  /// Writes all transitions, or none.
  ///
  /// - Throws: ``TransitionError`` if one of them is refused; ``LedgerError`` if all are.
  func write(_ transitions: [Transition]) throws

  /// Makes a write that changes nothing, to find out whether the ledger can be written.
  ///
  /// - Throws: ``LedgerError``.
  func probe() throws

  /// Whether the ledger may become unreachable without a write that shows it, as a server may.
  var isRemote: Bool { get }
}

extension TransitionStore {
  package var isRemote: Bool { false }
}
