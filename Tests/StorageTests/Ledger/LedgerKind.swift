import CoordinatorSupport
import PostgreSQL
import Support
import sheaf_coordinator

/// The ledgers that implement the farm's interface.
enum LedgerKind: CaseIterable {
  /// SQLite in a file.
  case file
  /// SQLite in memory.
  case sqliteInMemory
  /// PostgreSQL.
  case server
  /// No database.
  case memory

  /// Opens an empty ledger.
  func open(in directory: TemporaryDirectory) throws -> any FarmLedger {
    switch self {
    case .file: try Ledger(.file(directory.path("ledger.sqlite")))
    case .sqliteInMemory: try Ledger(.memory)
    case .server:
      try Ledger(at: .test(PostgreSQLServer.shared.get().makeDatabase()), data: directory.path)
    case .memory: MemoryLedger()
    }
  }
}

extension ServerAddress {
  /// The address of a database of the tests.
  static func test(_ url: String) throws -> ServerAddress {
    try ServerAddress(url, program: "tests")
  }
}
