import Crypto
import Foundation

/// Writes and restores copies of the ledger.
enum LedgerBackup {
  /// Writes a consistent copy of a data directory's ledger to a new file.
  static func write(_ data: String, to file: String) throws {
    guard access(file, F_OK) != 0 else {
      throw StorageError(.unwritable, "\(file) already exists: name a new file")
    }
    guard try !OwnerRecord.isOnServer(data) else {
      throw StorageError(
        .unreadable,
        "the ledger of \(data) is in a PostgreSQL database: back it up with PostgreSQL's own tools, "
          + "such as pg_dump")
    }
    let ledger = try Ledger(reading: data)
    // The copy has new indexes, which would hide damaged indexes of the ledger.
    if let problem = try ledger.problems().first {
      throw StorageError.damagedLedger(.file(DataDirectory.ledger(in: data)), problem)
    }
    let partial = "\(file).partial-\(SecureRandom.token(bytes: 6))"
    defer { unlink(partial) }
    try ledger.copy(to: partial)
    try assureSound(partial, called: "the copy of the ledger")
    try StagedFile.bringToDisk(partial)
    try StagedFile.publish(partial, as: file)
    noteTime(in: data)
  }

  /// The time of the last backup of a data directory's ledger, in seconds since 1970; `nil` if there was none.
  static func lastTime(in data: String) -> Double? {
    var status = stat()
    guard stat(DataDirectory.lastBackup(in: data), &status) == 0 else { return nil }
    return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
  }

  /// Records the time of a backup, for monitoring. The backup is complete even if that fails.
  private static func noteTime(in data: String) {
    let note = open(
      DataDirectory.lastBackup(in: data), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
      PrivateFiles.fileMode)
    guard note >= 0 else { return }
    futimens(note, nil)
    close(note)
  }

  /// Replaces a data directory's ledger with a copy, and keeps the old ledger under another name.
  static func restore(_ data: String, from file: String) throws {
    guard FileFacts.byteCount(at: file) != nil else {
      throw StorageError(
        .unreadable, "there is no backup at \(file): name a file that backup wrote")
    }
    let directory = try DataDirectory(data)
    guard try !OwnerRecord.isOnServer(directory.path) else {
      throw StorageError(
        .inUse,
        "the ledger of \(data) is in a PostgreSQL database: restore it with PostgreSQL's own tools, "
          + "or move it to SQLite first with `sheaf-coordinator move-ledger --back`; if the database "
          + "is lost, remove \(directory.path)/ledger-owner.json first")
    }
    let fresh = "\(directory.uploads)/ledger-\(SecureRandom.token(bytes: 6))"
    defer { for suffix in [""] + companions { unlink(fresh + suffix) } }
    // A plain copy of a ledger may come with its log file.
    try LedgerCopy.copy(file, to: fresh)
    try assureSound(fresh, called: "the backup \(file)")
    try StagedFile.bringToDisk(fresh)
    try setAside(directory, "replaced")
    try StagedFile.publish(fresh, as: directory.ledger)
  }

  /// Keeps a data directory's ledger under another name, too, and moves everything away that accompanies it.
  ///
  /// SQLite would apply the old ledger's log to another one, so the log must be gone before that takes the ledger's place.
  /// The ledger file exists at every moment.
  static func setAside(_ directory: DataDirectory, _ ending: String) throws {
    let replaced = unusedName(in: directory.path, ending)
    if FileFacts.byteCount(at: directory.ledger) != nil {
      // Opening and closing the old ledger merges its log.
      try? Ledger(.file(directory.ledger)).close()
      guard link(directory.ledger, replaced) == 0 else {
        throw StorageError("cannot link", replaced)
      }
    }
    for suffix in companions where FileFacts.byteCount(at: directory.ledger + suffix) != nil {
      try StagedFile.publish(directory.ledger + suffix, as: replaced + suffix)
    }
  }

  /// An unused name for a ledger that is no longer in use: it contains the time in seconds, and a number if that name is taken.
  static func unusedName(in folder: String, _ ending: String) -> String {
    let time = Int(Date().timeIntervalSince1970)
    var (name, number) = ("\(folder)/ledger-\(time).\(ending)", 1)
    while access(name, F_OK) == 0 {
      number += 1
      name = "\(folder)/ledger-\(time)-\(number).\(ending)"
    }
    return name
  }

  private static let companions = LedgerCopy.companions + ["-shm"]

  /// Checks that the copy at `path` is a sound ledger, migrates it to the current schema and merges its log.
  private static func assureSound(_ path: String, called name: String) throws {
    do {
      try Ledger.prepare(copyAt: path)
    } catch let damage as LedgerDamage {
      throw StorageError(
        .damaged, "\(name) cannot be restored: \(damage.problem): use another backup")
    } catch let error as LedgerError {
      throw StorageError(
        .damaged, "\(name) cannot be restored: \(error.message): use another backup")
    }
  }
}
