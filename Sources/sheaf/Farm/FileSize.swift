import Foundation

/// The sizes of files that may not exist.
enum FileSize {
  /// The size of the file at a path in bytes; 0 if it does not exist.
  static func of(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}
