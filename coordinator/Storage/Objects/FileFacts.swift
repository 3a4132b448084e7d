import Foundation

/// Facts about files that are not read.
enum FileFacts {
  /// The length in bytes of the regular file at `path`; `nil` if there is none. Blocks.
  static func byteCount(at path: String) -> Int64? {
    var information = stat()
    guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Int64(information.st_size)
  }

  /// The time when the bytes of the file at `path` were last changed, or the file was touched; `nil` if there is none.
  /// Blocks.
  static func date(at path: String) -> Date? {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    return date(information)
  }

  /// The time when the bytes of a file were last changed, or the file was touched.
  static func date(_ information: stat) -> Date {
    Date(timeIntervalSince1970: TimeInterval(information.st_mtim.tv_sec))
  }
}
