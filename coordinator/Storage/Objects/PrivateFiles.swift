import Foundation

/// Keeps other users of the host out of a data directory.
enum PrivateFiles {
  /// The mode of folders that a coordinator creates.
  static let folderMode: mode_t = 0o700
  static let fileMode: mode_t = 0o600
  /// The permission bits of other users, which are removed.
  private static let others: mode_t = 0o077

  /// Removes other users' access to a folder and everything in it.
  ///
  /// - Parameter folder: a path without symbolic links.
  /// - Returns: whether other users had access.
  /// - Throws: ``StorageError`` if the folder belongs to another user, who then has to remove the access.
  static func claim(_ folder: String) throws(StorageError) -> Bool {
    let isOpen = try tighten(folder)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var wasOpen = isOpen
    for name in names {
      let path = "\(folder)/\(name)"
      guard let information = look(path), isOpen || information.st_mode & others != 0 else {
        continue
      }
      if information.st_mode & S_IFMT == S_IFDIR {
        // The folder itself comes last, so that the next start continues if this is interrupted.
        let inside = FileManager.default.enumerator(atPath: path)
        while let name = inside?.nextObject() as? String { _ = try tighten("\(path)/\(name)") }
      }
      if try tighten(path) { wasOpen = true }
    }
    return wasOpen
  }

  /// Removes other users' access to a file or folder, and returns whether they had any.
  private static func tighten(_ path: String) throws(StorageError) -> Bool {
    guard let information = look(path), information.st_mode & others != 0 else { return false }
    let mode = information.st_mode & 0o7777
    guard information.st_uid == geteuid(), chmod(path, mode & ~others) == 0 else {
      throw StorageError(
        .unwritable,
        "other users of this host have access to the data directory: \(path) has mode "
          + "\(String(mode, radix: 8)) and belongs to user \(information.st_uid), but the "
          + "coordinator runs as user \(geteuid()): have the owner run `chmod -R go= PATH` on the "
          + "data directory, or choose another --data"
      )
    }
    return true
  }

  /// The status of the file at a path, or `nil` if there is none or it is a link.
  private static func look(_ path: String) -> stat? {
    var information = stat()
    guard lstat(path, &information) == 0, information.st_mode & S_IFMT != S_IFLNK else {
      return nil
    }
    return information
  }
}
