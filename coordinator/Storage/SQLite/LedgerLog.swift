import Foundation
import SQLite

/// Detects that the ledger's write-ahead log was removed.
enum LedgerLog {
  /// The first schema version whose ledgers record reliably whether they have a log. Older ones still record a log
  /// after a clean stop has removed it.
  private static let firstVersion = 10

  /// Throws if the ledger at `path` needs a log and the log is missing.
  ///
  /// - Throws: ``StorageError`` with code `damaged`.
  static func assure(of path: String) throws(StorageError) {
    guard isMissing(of: path) else { return }
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    throw StorageError(
      .damaged,
      "the ledger is damaged: its log is missing: \(Database.log(of: path)): the coordinator did "
        + "not stop cleanly, and the log had its last transactions: nothing was changed: put the "
        + "log back, or restore a backup with `sheaf-coordinator restore --data \(directory) "
        + "--from BACKUP`; to continue without those transactions, use `--from \(path)`")
  }

  /// Whether the ledger at `path` has lost its log.
  static func isMissing(of path: String) -> Bool {
    // A coordinator that stops in the meantime changes the header before it removes the log.
    needsLog(path) && !exists(Database.log(of: path)) && needsLog(path)
  }

  private static func needsLog(_ path: String) -> Bool {
    guard let header = DatabaseHeader(of: path), header.usesLog else { return false }
    // The clean stop of an older version also removed the log's index. A kill left both.
    return header.schemaVersion >= firstVersion || exists("\(path)-shm")
  }

  private static func exists(_ path: String) -> Bool {
    var information = stat()
    return lstat(path, &information) == 0
  }
}
