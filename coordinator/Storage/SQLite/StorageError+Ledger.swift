import Foundation

extension StorageError {
  /// The error for a ledger that is too damaged to use.
  static func damagedLedger(_ location: Ledger.Location, _ problem: String) -> StorageError {
    guard case .file(let path) = location else {
      return StorageError(.damaged, "the ledger in memory is damaged: \(problem)")
    }
    let directory = location.folder ?? path
    return StorageError(
      .damaged,
      "the ledger is damaged: \(path): \(problem): nothing was changed: restore a backup "
        + "with `sheaf-coordinator restore --data \(directory) --from BACKUP`; "
        + "`sheaf-coordinator check --data \(directory)` lists every problem")
  }

  /// The error for a ledger that cannot be opened at the moment.
  static func closedLedger(_ location: Ledger.Location, _ problem: String) -> StorageError {
    guard case .file(let path) = location else {
      return StorageError(.unwritable, "the ledger in memory cannot be opened: \(problem)")
    }
    return StorageError(
      .unwritable,
      "the ledger cannot be opened: \(path): \(problem): nothing was changed: make sure that its "
        + "disk is writable and has a few mebibytes free, and start again")
  }
}
