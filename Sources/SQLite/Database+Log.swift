import Glibc

/// The write-ahead log beside a database file, and the mark in the file that says whether there has to be one.
///
/// The file's header names the log as long as it is in use (``DatabaseHeader/usesLog``). ``startLog()`` makes the log
/// before the header names it, and ``endLog()`` removes the log after the header has stopped naming it. So a header that
/// names a log that is not there means that somebody removed it, wherever the program was killed.
extension Database {
  /// Bytes that the write-ahead log keeps after a checkpoint.
  private static let logSizeLimit = 16 << 20

  /// The log of the database file at `path`.
  public static func log(of path: String) -> String { "\(path)-wal" }

  /// Writes to a write-ahead log from now on. Does nothing for a database in memory.
  ///
  /// - Throws: ``SQLiteError/Code/unsupported`` if the file system allows no log.
  public func startLog() throws(SQLiteError) {
    guard case .file(let path) = location else { return }
    try makeLog(of: path)
    // The log is brought into the database every 1000 pages, SQLite's own default, and cut to size then.
    try execute("PRAGMA journal_size_limit = \(Self.logSizeLimit)")
    guard try pragma("journal_mode = WAL") == .text("wal") else {
      throw SQLiteError(
        .unsupported, "\(path): no write-ahead log here: use a local disk for the database")
    }
  }

  /// Brings the log into the database, and leaves the database without one: what is written later goes to the file itself.
  ///
  /// - Throws: ``SQLiteError/Code/busy`` while another connection reads the database; the log stays then.
  public func endLog() throws(SQLiteError) {
    guard case .file(let path) = location else { return }
    guard try pragma("journal_mode = DELETE") == .text("delete") else {
      throw SQLiteError(.busy, "\(path): another program reads the database: its log stays")
    }
    for file in [Self.log(of: path), "\(path)-shm"] { unlink(file) }
  }

  /// Makes an empty log if there is none, and brings its name to disk.
  private func makeLog(of path: String) throws(SQLiteError) {
    let log = Self.log(of: path)
    var information = stat()
    // SQLite gives the log the mode of the database.
    guard stat(log, &information) != 0, stat(path, &information) == 0 else { return }
    let descriptor = open(log, O_RDWR | O_CREAT | O_CLOEXEC, information.st_mode & 0o777)
    guard descriptor >= 0 else { throw SQLiteError(cannotOpen: log, errno) }
    close(descriptor)
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
  /// What `errno` says of a log that cannot be made.
  fileprivate init(cannotOpen path: String, _ number: Int32) {
    self.init(
      number == ENOSPC || number == EDQUOT ? .full : .cannotOpen,
      "cannot create the log \(path): \(String(cString: strerror(number)))")
  }
}
