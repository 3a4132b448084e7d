/// Reads an open ledger on any thread. The ledger's owner may write to it meanwhile.
package protocol LedgerSnapshot: Sendable {
  /// Runs `read`, which sees one state of the ledger that is no older than the call.
  func read<Value>(_ read: (any FarmLedger) throws -> Value) throws -> Value
}
