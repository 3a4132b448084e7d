import Foundation
import SQLite

/// A failure of the disk, or of what is on it.
package struct StorageError: Error, Hashable, CustomStringConvertible {
  /// The kind of failure.
  package struct Code: Hashable, Sendable {
    private enum Kind { case damaged, full, inUse, unreadable, unwritable }
    private let kind: Kind
    /// It is there, but not what was written.
    static let damaged = Code(kind: .damaged)
    /// There is no space left.
    package static let full = Code(kind: .full)
    /// Another coordinator has it.
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
  /// The ledger is not one that can be gone on with.
  static func damagedLedger(_ location: Database.Location, _ problem: String) -> StorageError {
    guard case .file(let path) = location else {
      return StorageError(.damaged, "the ledger in memory is damaged: \(problem)")
    }
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return StorageError(
      .damaged,
      "the ledger is damaged: \(path): \(problem): nothing was changed: put a backup in its place "
        + "with `sheaf-coordinator restore --data \(directory) --from BACKUP`; "
        + "see `sheaf-coordinator check --data \(directory)` for everything that is wrong")
  }

  /// The ledger cannot currently be opened.
  static func closedLedger(_ location: Database.Location, _ problem: String) -> StorageError {
    guard case .file(let path) = location else {
      return StorageError(.unwritable, "the ledger in memory cannot be opened: \(problem)")
    }
    return StorageError(
      .unwritable,
      "the ledger cannot be opened: \(path): \(problem): nothing was changed: see that its disk has "
        + "some mebibytes left and can be written to, and start again")
  }

  /// The ledger is gone, though there are files that one had spoken of.
  static func missingLedger(_ directory: String, _ found: String) -> StorageError {
    StorageError(
      .damaged,
      "there is no ledger in \(directory), and \(found) is there: it was left as it is: put a "
        + "backup in its place with `sheaf-coordinator restore --data \(directory) --from BACKUP`, or name "
        + "another --data to begin anew")
  }
}
