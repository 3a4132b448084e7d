import Foundation
import PostgreSQL

/// Moves a ledger between SQLite in a data directory and a PostgreSQL database, while no coordinator is running.
package enum LedgerMove {
  /// Moves the ledger of a data directory to a database, and keeps the old one under another name.
  ///
  /// If it is interrupted, the old ledger stays in use, and the next call begins again.
  ///
  /// - Returns: the number of rows, and where the old ledger is.
  package static func toServer(
    _ data: String, _ address: ServerAddress
  ) throws -> (rows: Int, old: String) {
    let directory = try DataDirectory(data)
    guard (FileFacts.byteCount(at: directory.ledger) ?? 0) > 0 else {
      throw StorageError(
        .unreadable, "there is no ledger to move: \(directory.ledger) does not exist")
    }
    // Opening it migrates and tests it; closing it merges its log.
    let ledger = try Ledger(.file(directory.ledger))
    defer { ledger.close() }
    let rows = try ledger.move(to: address, of: directory.path)
    ledger.close()
    let old = LedgerBackup.unusedName(in: directory.path, "moved")
    try StagedFile.publish(directory.ledger, as: old)
    return (rows, old)
  }

  /// Moves a ledger from a database to SQLite in the data directory that it refers to. The tables in the database stay,
  /// but no coordinator uses them.
  ///
  /// - Returns: the number of rows.
  package static func fromServer(_ data: String, _ address: ServerAddress) throws -> Int {
    let directory = try DataDirectory(data)
    guard (FileFacts.byteCount(at: directory.ledger) ?? 0) == 0 else {
      throw StorageError(
        .unwritable, "there is already a ledger: \(directory.ledger): move it away first")
    }
    return try Ledger.moveBack(from: address, to: directory)
  }
}
