import Foundation

/// A failure of the disk, or of what is on it.
package struct StorageError: Error, Hashable, CustomStringConvertible {
  /// What failed.
  package struct Code: Hashable, Sendable {
    private enum Kind { case full, inUse, unreadable, unwritable }
    private let kind: Kind
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

  /// What `errno` says of an action on a path.
  init(_ action: String, _ path: String, _ number: Int32 = errno) {
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
