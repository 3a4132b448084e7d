extension Database {
  /// The problems in the database, one line each: damaged pages and rows, indexes that disagree with their tables, and
  /// references to missing rows. At most 100 of each kind.
  ///
  /// `PRAGMA quick_check` is not used, because SQLite 3.40 wrongly reports NULL values in a WITHOUT ROWID table whose
  /// primary key lists its columns in a different order than the table.
  ///
  /// - Throws: ``SQLiteError`` if the damage keeps SQLite from reading the database at all.
  public func problems() throws -> [String] {
    let problems = try rows("PRAGMA integrity_check(100)") { try $0.get(0, as: String.self) }
      .filter { $0 != "ok" }
    return try problems + orphans().prefix(100)
  }

  /// The references to missing rows, one line each.
  func orphans() throws -> [String] {
    try rows("PRAGMA foreign_key_check") { row in
      let (table, parent) = (try row.get(0, as: String.self), try row.get(2, as: String.self))
      return "a row of table '\(table)' refers to a row of table '\(parent)' that is missing"
    }
  }

  /// Which schema it has: the number of the last migration.
  public func schemaVersion() throws -> Int {
    try Int(sqlValue: pragma("user_version"))
  }

  /// Brings what is in the write-ahead log into the database, and empties the log where no reader is in the way.
  public func checkpoint() throws(SQLiteError) {
    try execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Writes a copy to a file at `path`, as of one instant, while others go on writing to this one.
  ///
  /// There must be no such file. The copy is compact, without a log beside it; it is the caller's to bring to disk.
  public func copy(to path: String) throws(SQLiteError) {
    try run("VACUUM INTO ?1", path)
  }
}
