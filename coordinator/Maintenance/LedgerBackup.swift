import Crypto
import Foundation
import SQLite

/// Copies of the ledger.
enum LedgerBackup {
  /// Writes a copy of a data directory's ledger, as of one instant, to a file that is not there yet.
  static func write(_ data: String, to file: String) throws {
    guard access(file, F_OK) != 0 else {
      throw StorageError(.unwritable, "\(file) is there already: name a file that is not")
    }
    let ledger = try Ledger(reading: data)
    let partial = "\(file).partial-\(SecureRandom.token(bytes: 6))"
    defer { unlink(partial) }
    try ledger.database.copy(to: partial)
    try assureSound(partial, called: "the copy of the ledger")
    try StagedFile.bringToDisk(partial)
    try StagedFile.publish(partial, as: file)
  }

  /// Puts a copy in the place of a data directory's ledger, which is kept under another name.
  static func restore(_ data: String, from file: String) throws {
    guard AssetStore.size(file) != nil else {
      throw StorageError(.unreadable, "there is no backup: \(file): name a file that backup wrote")
    }
    try assureSound(file, called: "the backup \(file)")
    let directory = try DataDirectory(data)
    let fresh = "\(directory.uploads)/ledger-\(SecureRandom.token(bytes: 6))"
    defer { unlink(fresh) }
    try FileManager.default.copyItem(atPath: file, toPath: fresh)
    try StagedFile.bringToDisk(fresh)
    // A log belongs to the database that it stands beside: the copy must not meet the old one. A ledger that can be
    // opened takes its log in; at no time is there none.
    let replaced = "\(directory.path)/ledger-\(Int(Date().timeIntervalSince1970)).replaced"
    if AssetStore.size(directory.ledger) != nil {
      try? Ledger(.file(directory.ledger)).close()
      guard link(directory.ledger, replaced) == 0 else {
        throw StorageError("cannot link", replaced)
      }
    }
    for suffix in ["-wal", "-shm"] where AssetStore.size(directory.ledger + suffix) != nil {
      try StagedFile.publish(directory.ledger + suffix, as: replaced + suffix)
    }
    try StagedFile.publish(fresh, as: directory.ledger)
  }

  private static func assureSound(_ file: String, called name: String) throws {
    var problem: String?
    do {
      let copy = try Database(.file(file), access: .readOnly)
      problem = try copy.problems(.full).first
      let version = try copy.schemaVersion()
      if problem == nil, !(1...Migration.ledger.count).contains(version) {
        problem = "it is not a ledger of this program"
      }
    } catch let error as SQLiteError {
      problem = error.message
    }
    if let problem {
      throw StorageError(.damaged, "\(name) is no good: \(problem): use another one")
    }
  }
}
