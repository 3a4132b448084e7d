import PostgreSQL

extension Ledger {
  /// Opens the ledger of the data directory at `data` for reading, whether or not a coordinator is using it.
  ///
  /// - Parameter address: the database that has it; `nil` for SQLite in the directory.
  /// - Throws: ``StorageError`` if there is none or it cannot be read.
  static func reading(_ data: String, at address: ServerAddress?) throws -> Ledger {
    if let address { return try Ledger(reading: address) }
    if FileFacts.byteCount(at: DataDirectory.ledger(in: data)) == nil,
      try OwnerRecord.exists(in: data)
    {
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
