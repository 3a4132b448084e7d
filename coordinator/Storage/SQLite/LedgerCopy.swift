import Foundation
import Processes
import SQLite

extension TemporaryFolder.Kind {
  /// A copy of a ledger.
  static let ledger = Self(rawValue: "ledger")
}

/// A copy of a ledger with its log, in a temporary folder that is removed with this object. If a process is killed, the
/// next reader of a ledger removes its folder.
final class LedgerCopy {
  let path: String
  private let folder: TemporaryFolder

  /// The suffixes of files that may accompany a database: its log, or the journal of an interrupted change.
  static let companions = ["-wal", "-journal"]

  /// Copies the ledger `file` of the data directory at `data`.
  ///
  /// - Throws: ``StorageError`` if a coordinator is using the directory, or there is no room for the copy.
  init(of file: String, in data: String) throws(StorageError) {
    let lock = open("\(data)/lock", O_RDONLY | O_CLOEXEC)
    defer { if lock >= 0 { close(lock) } }
    if lock >= 0, flock(lock, LOCK_SH | LOCK_NB) != 0 {
      throw StorageError(
        .inUse,
        "\(file): another version of sheaf-coordinator is using it: use that version, or stop it"
      )
    }
    do {
      folder = try TemporaryFolder(.ledger)
    } catch {
      throw StorageError(.unwritable, error.description)
    }
    path = "\(folder.path)/ledger.sqlite"
    try Self.copy(file, to: path)
  }

  /// Copies a ledger and the files beside it to `path`. The copies are writable even if the originals are not.
  static func copy(_ file: String, to path: String) throws(StorageError) {
    for suffix in [""] + companions
    where suffix.isEmpty || FileFacts.byteCount(at: file + suffix) != nil {
      do {
        try FileManager.default.copyItem(atPath: file + suffix, toPath: path + suffix)
      } catch {
        throw StorageError(
          .unreadable,
          "cannot copy \(file)\(suffix) to \(path)\(suffix): \(error.localizedDescription): "
            + "free some space there, or set TMPDIR to a folder with enough space")
      }
      guard chmod(path + suffix, 0o600) == 0 else {
        throw StorageError("cannot change the mode", path + suffix)
      }
    }
  }
}
