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
    guard farm.store != "", !farm.store.hasPrefix(left) else {
      throw StorageError(
        .inUse,
        "the files of the farm in the ledger \(ledger) are not in an object store: its coordinator "
          + "has not finished its first start, or keeps them in its data directory")
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

  /// What precedes the identity of a store in the ledger after the files were moved back from there.
  private static let left = "left "

  /// Notes the object store of a data directory in the ledger that its coordinator has claimed, so that others can join.
  ///
  /// - Throws: ``StorageError/Code/inUse`` if the farm's files are in another store: a coordinator with other files must
  ///   not use the ledger.
  static func note(_ data: String, at ledger: ServerAddress) throws {
    let own = try StoreRecord.read(in: data)?.identity
    let connection = try Ledger.connect(to: ledger)
    try Ledger.reporting(ledger) {
      let noted = try connection.first("SELECT store FROM ledger_owner") {
        try $0.get("store") as String
      }
      let new: String
      switch (noted ?? "", own) {
      case (let noted, let own?) where noted.hasPrefix(left) && noted != left + own: new = own
      case ("", let own?): new = own
      case (let noted, nil) where noted == "" || noted.hasPrefix(left): return
      case (let noted, nil): new = left + noted
      case (let noted, let own?):
        guard noted == own else {
          throw StorageError(
            .inUse,
            "the files of the farm in the ledger \(ledger) were moved by another coordinator, and are "
              + "not in the object store of \(data): remove \(data), so that it can join the farm again, "
              + "unless it has recordings")
        }
        return
      }
      try connection.run("UPDATE ledger_owner SET store = $1", new)
    }
  }
}
