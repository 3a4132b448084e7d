import Foundation
import S3

extension StorageError {
  /// The error for a request to an object store that failed.
  init(_ error: S3Error) {
    let code: Code =
      switch error.systemError {
      case ENOSPC, EDQUOT: .full
      default: error.code == .localFile ? .unreadable : .unavailable
      }
    self.init(code, error.message)
  }

  /// Runs `body`, and turns errors of an object store into errors of the storage.
  static func converting<Value>(
    _ body: () throws(S3Error) -> Value
  ) throws(StorageError) -> Value {
    do throws(S3Error) { return try body() } catch { throw StorageError(error) }
  }
}
