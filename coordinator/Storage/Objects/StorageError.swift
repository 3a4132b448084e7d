import Foundation

/// A failure of the disk or of the object store, or damage to their content.
package struct StorageError: Error, Hashable, CustomStringConvertible {
  /// The kind of failure.
  package struct Code: Hashable, Sendable {
    private enum Kind { case damaged, full, inUse, owned, unavailable, unreadable, unwritable }
    private let kind: Kind
    /// The content exists, but is not what was written.
    static let damaged = Code(kind: .damaged)
    /// There is no space left.
    package static let full = Code(kind: .full)
    /// Another coordinator or request uses it.
    package static let inUse = Code(kind: .inUse)
    /// Another coordinator owns the ledger.
    package static let owned = Code(kind: .owned)
    /// The object store does not answer, or rejects the request.
    package static let unavailable = Code(kind: .unavailable)
    /// It cannot be read.
    package static let unreadable = Code(kind: .unreadable)
    /// It cannot be written.
    package static let unwritable = Code(kind: .unwritable)
  }

  package let code: Code
  /// The problem, its subject and the remedy.
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
  /// The error for a missing ledger, if there are files that it must have referred to.
  static func missingLedger(_ directory: String, _ found: String) -> StorageError {
    StorageError(
      .damaged,
      "there is no ledger in \(directory), but there is \(found): nothing was changed: restore a "
        + "backup with `sheaf-coordinator restore --data \(directory) --from BACKUP`, or choose "
        + "another --data to start with an empty farm")
  }

  /// The error for a farm in a data directory that must not be temporary.
  static func notTemporary(_ directory: String) -> StorageError {
    StorageError(
      .inUse,
      "cannot use --temporary with \(directory), because a farm's ledger is there, which a system "
        + "crash could then destroy: choose a new --data, or leave out --temporary")
  }
}
