import Foundation

/// A failure of the disk, or of what is on it.
struct StorageError: Error, Hashable, CustomStringConvertible {
  /// What failed.
  struct Code: Hashable, Sendable {
    private enum Kind { case full, inUse, unreadable, unwritable }
    private let kind: Kind
    /// There is no space left.
    static let full = Code(kind: .full)
    /// Another coordinator has it.
    static let inUse = Code(kind: .inUse)
    /// It cannot be read.
    static let unreadable = Code(kind: .unreadable)
    /// It cannot be written.
    static let unwritable = Code(kind: .unwritable)
  }

  let code: Code
  /// What failed, on what, and what to do.
  let message: String

  var description: String { message }

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
