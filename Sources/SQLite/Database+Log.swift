import Glibc
import SQL

/// The write-ahead log of a database file, and the mark in the file that states whether the log must exist.
///
/// The file's header says whether the log is in use (``DatabaseHeader/usesLog``). ``startLog()`` creates the log before
/// it changes the header, and ``endLog()`` changes the header before it removes the log. So if the header says that
/// there is a log but the file is missing, someone removed it, no matter when the program was killed.
extension Database {
  /// The maximum size of the write-ahead log after a checkpoint, in bytes.
  private static let logSizeLimit = 16 << 20

  /// The path of the log of the database file at `path`.
  public static func log(of path: String) -> String { "\(path)-wal" }

  /// Starts writing to a write-ahead log. Does nothing for a database in memory.
  ///
  /// - Throws: ``SQLiteError/Code/unsupported`` if the file system does not support a log.
  public func startLog() throws(SQLiteError) {
    guard case .file(let path) = location else { return }
    try makeLog(of: path)
    // SQLite merges the log into the database every 1000 pages, its default, unless ``LogMerger`` does, and then
    // truncates it.
    try execute("PRAGMA journal_size_limit = \(Self.logSizeLimit)")
    guard try pragma("journal_mode = WAL") == .text("wal") else {
      throw SQLiteError(
        .unsupported,
        "\(path): the file system does not support write-ahead logging: use a local disk")
    }
  }

  /// Merges the log into the database and removes it. Later writes go to the database file itself.
  ///
  /// - Throws: ``SQLiteError/Code/busy`` if another connection is reading the database; the log then stays.
  public func endLog() throws(SQLiteError) {
    guard case .file(let path) = location else { return }
    // The log ends only if there is no other connection.
    stopMergingLog()
    guard try pragma("journal_mode = DELETE") == .text("delete") else {
      throw SQLiteError(
        .busy, "\(path): cannot merge the log, because another program is reading the database")
    }
    for file in [Self.log(of: path), "\(path)-shm"] { unlink(file) }
  }

  /// Creates an empty log if there is none, and flushes its directory entry to disk.
  private func makeLog(of path: String) throws(SQLiteError) {
    let log = Self.log(of: path)
    var information = stat()
    // SQLite creates the log with the mode of the database file.
    guard stat(log, &information) != 0, stat(path, &information) == 0 else { return }
    let descriptor = open(log, O_RDWR | O_CREAT | O_CLOEXEC, information.st_mode & 0o777)
    guard descriptor >= 0 else { throw SQLiteError(cannotOpen: log, errno) }
    close(descriptor)
    guard isDurable else { return }
    let end = path.lastIndex(of: "/")
    let folder = open(
      end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".",
      O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw SQLiteError(cannotOpen: log, errno) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw SQLiteError(cannotOpen: log, errno) }
  }
}

extension SQLiteError {
  /// Creates an error for a log that cannot be created.
  fileprivate init(cannotOpen path: String, _ number: Int32) {
    self.init(
      number == ENOSPC || number == EDQUOT ? .full : .cannotOpen,
      "cannot create the log \(path): \(String(cString: strerror(number)))")
  }
}
