import CoordinatorSupport
import Synchronization
import sheaf_coordinator

/// A ledger without a database. It shows that the farm needs nothing of the SQLite ledger but its interface.
///
/// Everything that it records is one value, so a change that fails leaves no trace, and a snapshot is a copy.
final class MemoryLedger: FarmLedger, Sendable {
  private let current: Mutex<MemoryRecords>

  let isOwned: @Sendable () -> Bool

  /// - Parameter isOwned: whether no other process can have taken the ledger over.
  init(
    _ records: MemoryRecords = MemoryRecords(),
    isOwned: @escaping @Sendable () -> Bool = { true }
  ) {
    current = Mutex(records)
    self.isOwned = isOwned
  }

  /// The records as they are now.
  var records: MemoryRecords { current.withLock { $0 } }

  /// Changes the records, or leaves them as they are if `body` throws.
  func change<Value>(_ body: (inout MemoryRecords) throws -> Value) throws -> Value {
    try current.withLock { current in
      var changed = current
      let value = try body(&changed)
      current = changed
      return value
    }
  }

  func write(_ transitions: [Transition]) throws {
    try change { records in
      for (index, transition) in transitions.enumerated() {
        do throws(LedgerError) {
          try records.apply(transition)
        } catch {
          throw TransitionError(index: index, cause: error)
        }
      }
    }
  }

  func probe() {}

  func close() {}

  /// Reads a copy of the records.
  private struct Copy: LedgerSnapshot {
    let ledger: MemoryLedger

    func read<Value>(_ read: (any FarmLedger) throws -> Value) throws -> Value {
      try read(MemoryLedger(ledger.records))
    }
  }

  var snapshot: (any LedgerSnapshot)? { Copy(ledger: self) }
}
