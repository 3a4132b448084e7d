import CoordinatorSupport
import Support
import sheaf_coordinator

/// The ledgers that implement the farm's interface.
enum LedgerKind: CaseIterable {
  /// SQLite in a file.
  case file
  /// SQLite in memory.
  case sqliteInMemory
  /// No database.
  case memory

  /// Opens an empty ledger.
  func open(in directory: TemporaryDirectory) throws -> any FarmLedger {
    switch self {
    case .file: try Ledger(.file(directory.path("ledger.sqlite")))
    case .sqliteInMemory: try Ledger(.memory)
    case .memory: MemoryLedger()
    }
  }
}
