import Foundation

/// A second name of a stored file for a process that reads it.
package enum LentFile {
  /// How often a file is linked before it is copied.
  private static let linkAttempts = 100

  /// Gives a file another name: as a hard link, or as a copy if the file cannot have one. Blocks.
  ///
  /// - Returns: whether the file exists.
  /// - Throws: an error from copying it.
  package static func make(of file: String, at path: String) throws -> Bool {
    for _ in 0..<linkAttempts {
      // Without this check, a symbolic link to itself would be linked, and a directory copied.
      guard !PacedReading.isAbsent(file) else { return false }
      if link(file, path) == 0 { return true }
      // The kernel also reports ENOENT if an equal file has replaced this one since it looked the name up.
      guard errno == ENOENT else { break }
    }
    do {
      try FileManager.default.copyItem(atPath: file, toPath: path)
    } catch {
      unlink(path)
      throw error
    }
    return true
  }
}
