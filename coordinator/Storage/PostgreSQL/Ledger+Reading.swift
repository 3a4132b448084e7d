import PostgreSQL
import SQL

extension Ledger {
  /// Opens the ledger of the data directory at `data` for reading, whether or not a coordinator is using it.
  ///
  /// - Parameter address: the database that has it; `nil` for SQLite in the directory.
  /// - Throws: ``StorageError`` if there is none or it cannot be read.
  static func reading(_ data: String, at address: ServerAddress?) throws -> Ledger {
    if let address {
      let ledger = try Ledger(reading: address)
      let owner = try ledger.database.first("SELECT directory FROM ledger_owner") {
        try $0.get("directory") as String
      }
      guard try owner == OwnerRecord.read(in: data)?.directory else {
        throw StorageError(
          .unreadable, "the ledger \(address) does not belong to the data directory \(data)")
      }
      return ledger
    }
    if try OwnerRecord.isOnServer(data) {
      throw StorageError.ledgerOnServer(data)
    }
    return try Ledger(reading: data)
  }
}

extension StorageError {
  /// The error for a command that needs the address of a data directory's ledger.
  static func ledgerOnServer(_ data: String) -> StorageError {
    StorageError(
      .unreadable,
      "the ledger of \(data) is in a PostgreSQL database: name it with --ledger URL")
  }
}
