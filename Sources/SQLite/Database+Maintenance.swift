import SQL

extension Database {
  /// The problems in the database, one line each: damaged pages and rows, indexes that disagree with their tables, and
  /// references to missing rows. At most 100 of each kind.
  ///
  /// `PRAGMA quick_check` is not used, because SQLite 3.40 wrongly reports NULL values in a WITHOUT ROWID table whose
  /// primary key lists its columns in a different order than the table.
  ///
  /// - Throws: ``SQLiteError`` if the damage prevents SQLite from reading the database at all.
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

  /// The version of the schema: the number of the last migration.
  public func schemaVersion() throws -> Int {
    try Int(sqlValue: pragma("user_version"))
  }

  /// Merges the write-ahead log into the database, and empties the log unless a reader still needs it.
  public func checkpoint() throws(SQLiteError) {
    try execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Writes a copy, as of one instant, to a new file at `path`. Other connections can continue to write to this database.
  ///
  /// The copy is compact and has no log. The caller has to bring it to disk.
  public func copy(to path: String) throws(SQLiteError) {
    try run("VACUUM INTO ?1", path)
  }
}
