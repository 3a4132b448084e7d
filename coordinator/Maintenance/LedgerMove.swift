import Foundation
import PostgreSQL

/// Moves a ledger between SQLite in a data directory and a PostgreSQL database, while no coordinator is running.
///
/// Each move to a database gives the directory a new identity, so that an earlier copy of the ledger in a database cannot
/// be used again. `ledger-owner.json` decides which ledger is in use, whatever files there are.
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
    guard try !OwnerRecord.isOnServer(directory.path) else {
      throw StorageError(
        .inUse, "the ledger of \(directory.path) is already in a PostgreSQL database")
    }
    guard (FileFacts.byteCount(at: directory.ledger) ?? 0) > 0 else {
      throw StorageError(
        .unreadable, "there is no ledger to move: \(directory.ledger) does not exist")
    }
    var owner = try OwnerRecord.read(in: directory.path) ?? OwnerRecord()
    // Each attempt has an identity of its own, so that one that is given up cannot be used later.
    owner.renew()
    owner.state = .leaving
    try owner.write(in: directory.path)
    let rows = try Ledger.withoutLog(directory.ledger) { try $0.move(to: address, of: owner) }
    // This makes the move effective.
    owner.settle()
    try owner.write(in: directory.path)
    let old = LedgerBackup.unusedName(in: directory.path, "moved")
    try StagedFile.publish(directory.ledger, as: old)
    return (rows, old)
  }

  /// Moves a ledger from a database to SQLite in the data directory that it refers to. The tables in the database stay,
  /// but no coordinator uses them.
  ///
  /// If it is interrupted, the next call begins again.
  ///
  /// - Returns: the number of rows.
  package static func fromServer(_ data: String, _ address: ServerAddress) throws -> Int {
    let directory = try DataDirectory(data)
    guard let owner = try OwnerRecord.read(in: directory.path),
      try OwnerRecord.isOnServer(directory.path)
    else {
      throw StorageError(
        .unreadable, "the ledger of \(directory.path) is not in a PostgreSQL database")
    }
    let rows = try Ledger.moveBack(from: address, to: directory, owner) { fresh in
      // SQLite would apply the log of another ledger to this one.
      try LedgerBackup.setAside(directory, "replaced")
      try StagedFile.publish(fresh, as: directory.ledger)
    }
    try OwnerRecord.remove(in: directory.path)
    return rows
  }
}
