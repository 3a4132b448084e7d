import Foundation

/// The sizes of files that may be there.
enum FileSize {
  /// How many bytes the file at a path has; 0 if there is none.
  static func of(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}
