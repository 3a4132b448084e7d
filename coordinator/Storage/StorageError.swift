import Foundation
import SQLite

/// A failure of the disk or damage to its content.
package struct StorageError: Error, Hashable, CustomStringConvertible {
  /// The kind of failure.
  package struct Code: Hashable, Sendable {
    private enum Kind { case damaged, full, inUse, unreadable, unwritable }
    private let kind: Kind
    /// The content exists, but is not what was written.
    static let damaged = Code(kind: .damaged)
    /// There is no space left.
    package static let full = Code(kind: .full)
    /// Another coordinator or request uses it.
    package static let inUse = Code(kind: .inUse)
    /// It cannot be read.
    package static let unreadable = Code(kind: .unreadable)
    /// It cannot be written.
    package static let unwritable = Code(kind: .unwritable)
  }

  package let code: Code
  /// What failed, on what, and what to do.
  package let message: String

  package var description: String { message }

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Creates an error from `errno` after an action on a path.
  package init(_ action: String, _ path: String, _ number: Int32 = errno) {
    let reason = String(cString: strerror(number))
    switch number {
    case ENOSPC, EDQUOT:
      self.init(.full, "\(action): \(path): \(reason): free some space")
    case ENOENT, EIO:
      self.init(.unreadable, "\(action): \(path): \(reason)")
    default:
      self.init(
        .unwritable, "\(action): \(path): \(reason): check the data directory's permissions")
    }
  }
}

extension StorageError {
  /// The error for a ledger that is too damaged to use.
  static func damagedLedger(_ location: Database.Location, _ problem: String) -> StorageError {
    guard case .file(let path) = location else {
      return StorageError(.damaged, "the ledger in memory is damaged: \(problem)")
    }
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return StorageError(
      .damaged,
      "the ledger is damaged: \(path): \(problem): nothing was changed: restore a backup "
        + "with `sheaf-coordinator restore --data \(directory) --from BACKUP`; "
        + "`sheaf-coordinator check --data \(directory)` lists every problem")
  }

  /// The error for a ledger that cannot be opened at the moment.
  static func closedLedger(_ location: Database.Location, _ problem: String) -> StorageError {
    guard case .file(let path) = location else {
      return StorageError(.unwritable, "the ledger in memory cannot be opened: \(problem)")
    }
    return StorageError(
      .unwritable,
      "the ledger cannot be opened: \(path): \(problem): nothing was changed: make sure that its "
        + "disk is writable and has a few mebibytes free, and start again")
  }

  /// The error for a missing ledger, if there are files that it must have referred to.
  static func missingLedger(_ directory: String, _ found: String) -> StorageError {
    StorageError(
      .damaged,
      "there is no ledger in \(directory), but there is \(found): nothing was changed: restore a "
        + "backup with `sheaf-coordinator restore --data \(directory) --from BACKUP`, or choose "
        + "another --data to start with an empty farm")
  }
}
