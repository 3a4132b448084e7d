extension Database {
  /// How thoroughly a database is looked through.
  public enum Thoroughness: Hashable, Sendable {
    /// The pages and rows.
    case quick
    /// The pages and rows, and that every index agrees with its table.
    case full
  }

  /// What is wrong with the database, a line each: damaged pages, rows and indexes, and references to rows that are
  /// missing. At most 100 of each kind.
  ///
  /// - Throws: ``SQLiteError`` where the damage is such that it cannot even be looked through.
  public func problems(_ thoroughness: Thoroughness) throws -> [String] {
    let check = thoroughness == .quick ? "quick_check" : "integrity_check"
    var problems = try rows("PRAGMA \(check)(100)") { try $0.get(0, as: String.self) }
      .filter { $0 != "ok" }
    let orphans = try rows("PRAGMA foreign_key_check") { row in
      (table: try row.get(0, as: String.self), parent: try row.get(2, as: String.self))
    }
    problems += orphans.prefix(100).map {
      "a row of table '\($0.table)' refers to a row of table '\($0.parent)' that is missing"
    }
    return problems
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
