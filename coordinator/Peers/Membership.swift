import Foundation
import PostgreSQL
import S3
import SQL

/// The farm to which a data directory belongs. The data directories of its coordinators have the same identities.
enum Membership {
  /// Lets a data directory that no coordinator has used join the farm that a ledger and an object store contain. Does
  /// nothing if the directory already belongs to a farm, or if there is no farm yet.
  ///
  /// - Returns: whether the directory has joined.
  /// - Throws: ``StorageError`` if the ledger and the store are not of one farm, or cannot be used.
  static func join(
    data: String, ledger: ServerAddress, store: ObjectClient
  ) throws -> Bool {
    let directory = try DataDirectory(data)
    let owner = try OwnerRecord.read(in: directory.path)
    guard owner == nil || owner?.state == .new, FileFacts.byteCount(at: directory.ledger) == nil,
      let farm = try farm(in: ledger)
    else { return false }
    // An interrupted attempt may have left the record of the store.
    let hasBegun = try StoreRecord.read(in: directory.path)?.identity == farm.store
    guard directory.usedFile == nil || hasBegun else { return false }
    guard farm.store != "", farm.store != noStore else {
      throw StorageError(
        .inUse,
        "the farm in the ledger \(ledger) has no object store: start its first coordinator with --store, "
          + "or move its files with `sheaf-coordinator move-files`, and try again")
    }
    try StoreRecord.join(store, farm.store, for: directory.path)
    try OwnerRecord(.away, directory: farm.directory).write(in: directory.path)
    return true
  }

  /// The identities of the farm in a ledger; `nil` if there is none.
  private static func farm(in ledger: ServerAddress) throws -> (directory: String, store: String)? {
    let connection = try Ledger.connect(to: ledger)
    return try Ledger.reporting(ledger) {
      guard try Migrator(Migration.postgreSQL).version(of: connection) != 0 else { return nil }
      try Ledger.assureSchema(of: connection, at: ledger)
      let found = try connection.first("SELECT directory, store FROM ledger_owner") {
        (directory: try $0.get("directory") as String, store: try $0.get("store") as String)
      }
      // A ledger that was moved to SQLite is refused with a reason later.
      guard let found, found.directory != "", !found.directory.hasPrefix(LedgerOwnership.moved)
      else { return nil }
      return found
    }
  }

  /// The note in the ledger of a farm whose files are in a data directory.
  private static let noStore = "-"

  /// Notes in the ledger that this coordinator has claimed where the farm's files are, so that others can join.
  ///
  /// - Parameter isOnly: whether this is the farm's only coordinator, which may have moved the files.
  /// - Throws: ``StorageError/Code/inUse`` if one of several coordinators has another store than the farm.
  static func note(_ data: String, at ledger: ServerAddress, isOnly: Bool) throws {
    let own = try StoreRecord.read(in: data)?.identity ?? noStore
    guard let directory = try OwnerRecord.read(in: data)?.directory else { return }
    let connection = try Ledger.connect(to: ledger)
    let changed = try Ledger.reporting(ledger) {
      try connection.run(
        """
        UPDATE ledger_owner SET store = $1 WHERE directory = $2 AND ($3 = 1 OR store IN ('', $1))
        """, own, directory, isOnly)
    }
    guard changed == 0 else { return }
    throw StorageError(
      .inUse,
      "the files of the farm in the ledger \(ledger) were last in another place than those of "
        + "\(data): if they were moved, start the coordinator that moved them once without "
        + "--peer-address, and let the others join again with empty data directories")
  }
}
