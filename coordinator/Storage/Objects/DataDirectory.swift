import Foundation

/// A coordinator's data directory. Only one coordinator can use it at a time.
final class DataDirectory: Sendable {
  let path: String
  /// Whether other users of the host had access to it before this coordinator opened it.
  let wasOpen: Bool
  private let lock: Int32

  /// Opens and locks the directory at `path`, which is created if it is missing.
  ///
  /// Removes other users' access to it.
  ///
  /// - Throws: ``StorageError`` if it cannot be written, another coordinator uses it, or it belongs to another user and
  ///   is open to others.
  init(_ given: String) throws(StorageError) {
    try Self.makeFolders([""], in: given)
    // The directory itself has to be private, not a link to it. Code that opens files in it expects a path without
    // links.
    let path = try Self.resolve(given)
    wasOpen = try PrivateFiles.claim(path)
    try Self.makeFolders(
      ObjectKind.allCases.map(\.rawValue) + ["delivered", "jobs", "quarantine", "uploads"],
      in: path)
    self.path = path
    lock = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, PrivateFiles.fileMode)
    guard lock >= 0 else { throw StorageError("cannot open the data directory", path) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw StorageError(
        .inUse,
        "cannot lock the data directory: \(path): another coordinator runs on it: "
          + "stop that coordinator or choose another --data")
    }
    clearUp()
  }

  /// The path of a directory without symbolic links.
  private static func resolve(_ path: String) throws(StorageError) -> String {
    guard let real = realpath(path, nil) else {
      throw StorageError("cannot resolve the path of the data directory", path)
    }
    defer { free(real) }
    return String(cString: real)
  }

  private static func makeFolders(_ names: [String], in path: String) throws(StorageError) {
    do {
      for name in names {
        try FileManager.default.createDirectory(
          atPath: "\(path)/\(name)", withIntermediateDirectories: true,
          attributes: [.posixPermissions: Int(PrivateFiles.folderMode)])
      }
    } catch {
      throw StorageError(
        .unwritable, "cannot create the data directory: \(path): \(error.localizedDescription)")
    }
  }

  /// Removes what a killed coordinator left unfinished. Unfinished uploads of assets stay, because clients can continue
  /// them.
  private func clearUp() {
    let manager = FileManager.default
    for name in (try? manager.contentsOfDirectory(atPath: "\(path)/jobs")) ?? [] {
      try? manager.removeItem(atPath: "\(path)/jobs/\(name)")
    }
    for name in (try? manager.contentsOfDirectory(atPath: delivered)) ?? [] {
      unlink("\(delivered)/\(name)")
    }
    for name in (try? manager.contentsOfDirectory(atPath: uploads)) ?? []
    where !name.hasSuffix(".part") {
      try? manager.removeItem(atPath: "\(uploads)/\(name)")
    }
  }

  deinit { close(lock) }

  /// Checks that there is a non-empty ledger, or that the directory contains nothing that a ledger would refer to.
  ///
  /// - Throws: ``StorageError`` if there are files but no ledger: a new ledger would discard all of them.
  func assureLedger() throws(StorageError) {
    guard (FileFacts.byteCount(at: ledger) ?? 0) == 0, let file = usedFile else { return }
    throw .missingLedger(path, file)
  }

  /// A file that a ledger must refer to, or the record of an object store that has such files; `nil` if there is none.
  var usedFile: String? {
    if (FileFacts.byteCount(at: "\(path)/store.json") ?? 0) > "[]".utf8.count {
      return "store.json"
    }
    return usedFile(of: [.output, .asset, .chunk, .recording, .project, .plan])
  }

  /// A stored file of one of these kinds; `nil` if there is none.
  func usedFile(of kinds: [ObjectKind]) -> String? {
    for kind in kinds {
      let name = kind.rawValue
      let folder = "\(path)/\(name)"
      let files = FileManager.default.enumerator(atPath: folder)
      while let file = files?.nextObject() as? String {
        guard FileFacts.byteCount(at: "\(folder)/\(file)") == nil else {
          return "\(name)/\(file)"
        }
      }
    }
    return nil
  }

  /// Checks that no farm has used the directory, so that there is nothing to lose.
  ///
  /// - Throws: ``StorageError`` if there is a ledger.
  func assureNew() throws(StorageError) {
    guard (FileFacts.byteCount(at: ledger) ?? 0) == 0 else { throw .notTemporary(path) }
  }

  var ledger: String { Self.ledger(in: path) }
  /// The folder with the digests of files under media roots.
  var knownFiles: String { "\(path)/known" }
  var uploads: String { "\(path)/uploads" }
  /// The folder with local copies of objects that are stored elsewhere.
  var copies: String { "\(path)/copies" }
  /// The folder in which workers leave chunks instead of sending them.
  var delivered: String { "\(path)/delivered" }

  var quarantine: String { Self.quarantine(in: path) }
  /// The file that stores the progress of the search for damaged files.
  var scrubPosition: String { "\(path)/scrub-position" }

  /// The file that was last changed when a backup of the ledger was made.
  static func lastBackup(in path: String) -> String { "\(path)/last-backup" }

  /// The folder for damaged files in the data directory at `path`.
  static func quarantine(in path: String) -> String { "\(path)/quarantine" }

  /// The path of the ledger in the data directory at `path`.
  static func ledger(in path: String) -> String { "\(path)/ledger.sqlite" }

  /// The folder for the temporary files of one job.
  func work(of job: String) -> String { "\(path)/jobs/\(job)" }
}
