import Foundation

extension FileReadError {
  /// Whether an error number of opening or reading a path means that no file is there: nothing, a directory, or a link
  /// that leads back to itself. Any other error may pass, and says nothing about the file.
  public static func isAbsence(_ number: Int32) -> Bool {
    [ENOENT, ENOTDIR, EISDIR, ELOOP].contains(number)
  }
}
