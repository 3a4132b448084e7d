import SQL

/// Migrates a database to the newest schema that the program knows.
///
/// The table `schema_migrations` has a row for each applied migration.
public struct Migrator: Sendable {
  private let migrations: [Migration]

  /// Creates a migrator for `migrations`.
  ///
  /// - Throws: ``PostgreSQLError/Code/invalidMigration`` if they are not numbered 1, 2, 3, and so on.
  public init(_ migrations: [Migration]) throws(PostgreSQLError) {
    for (index, migration) in migrations.enumerated() where migration.number != index + 1 {
      throw PostgreSQLError(
        .invalidMigration,
        "migration '\(migration.name)' must have number \(index + 1), not \(migration.number)")
    }
    self.migrations = migrations
  }

  /// The number of the last migration that was applied; 0 if none was.
  public func version(of connection: Connection) throws -> Int {
    let exists = try connection.first(
      "SELECT to_regclass('schema_migrations') IS NOT NULL AS found"
    ) { try $0.get("found") as Bool }
    guard exists == true else { return 0 }
    return try connection.first("SELECT coalesce(max(number), 0) FROM schema_migrations") {
      try $0.get(0)
    } ?? 0
  }

  /// Applies every missing migration, all in one transaction. Other programs that migrate the database wait.
  ///
  /// - Returns: the number of migrations that were applied.
  /// - Throws: ``PostgreSQLError/Code/newerSchema`` if a newer program wrote the database.
  @discardableResult
  public func migrate(_ connection: Connection) throws -> Int {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS schema_migrations (
        number bigint PRIMARY KEY,
        name text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
      )
      """)
    return try connection.transaction {
      try connection.execute("LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE")
      let version = try version(of: connection)
      guard version <= migrations.count else {
        throw PostgreSQLError(
          .newerSchema,
          "its schema is version \(version), newer than version \(migrations.count) of this "
            + "program: use a newer one")
      }
      let missing = migrations.dropFirst(version)
      for migration in missing {
        do throws(PostgreSQLError) {
          try connection.execute(migration.sql)
        } catch {
          throw PostgreSQLError(
            error.code, "migration \(migration.number) '\(migration.name)': \(error.message)",
            state: error.state)
        }
        try connection.run(
          "INSERT INTO schema_migrations (number, name) VALUES ($1, $2)", migration.number,
          migration.name)
      }
      return missing.count
    }
  }
}
