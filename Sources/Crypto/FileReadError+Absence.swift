import Foundation

extension FileReadError {
  /// Whether an error number from opening or reading a path means that it has no file: it is missing, a directory, or a
  /// link that leads back to itself. Any other error may be temporary and proves nothing about the file.
  public static func isAbsence(_ number: Int32) -> Bool {
    [ENOENT, ENOTDIR, EISDIR, ELOOP].contains(number)
  }
}
