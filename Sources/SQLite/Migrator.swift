import SQL

/// Migrates a database to the newest schema that the program knows.
///
/// `user_version` holds the number of the last applied migration.
public struct Migrator: Sendable {
  private let migrations: [Migration]

  /// Creates a migrator for `migrations`.
  ///
  /// - Throws: ``SQLiteError/Code/invalidMigration`` if they are not numbered 1, 2, 3, and so on.
  public init(_ migrations: [Migration]) throws(SQLiteError) {
    for (index, migration) in migrations.enumerated() where migration.number != index + 1 {
      throw SQLiteError(
        .invalidMigration,
        "migration '\(migration.name)' must have number \(index + 1), not \(migration.number)")
    }
    self.migrations = migrations
  }

  /// Applies every missing migration and then `verify`, all in one transaction. If any of them throws, the database is
  /// unchanged.
  ///
  /// - Throws: ``SQLiteError/Code/newerSchema`` if a newer program wrote the database, ``SQLiteError/Code/corrupt`` if
  ///   references to missing rows prevent a migration, or an error from `verify`.
  public func migrate(
    _ database: Database, verifying verify: (Database) throws -> Void = { _ in }
  ) throws {
    // The version is read under the write lock, because another process may migrate the same file.
    try database.transaction {
      let version = try database.schemaVersion()
      guard version <= migrations.count else {
        throw SQLiteError(
          .newerSchema,
          "\(database.name): its schema is version \(version), newer than version "
            + "\(migrations.count) of this program: use a newer sheaf")
      }
      guard version >= 0 else {
        throw SQLiteError(
          .notADatabase,
          "\(database.name): its schema version, \(version), is invalid: another program wrote it")
      }
      try applyMigrations(after: version, to: database)
      try verify(database)
    }
  }

  private func applyMigrations(after version: Int, to database: Database) throws {
    let missing = migrations.dropFirst(version)
    let orphan = version == 0 || missing.isEmpty ? nil : try database.orphans().first
    do {
      for migration in missing { try apply(migration, to: database) }
    } catch let error as SQLiteError where error.code == .constraint {
      // The migration is not the cause of a reference that was already broken.
      guard let orphan else { throw error }
      throw SQLiteError(.corrupt, "\(database.name): \(orphan)")
    }
  }

  private func apply(_ migration: Migration, to database: Database) throws {
    do throws(SQLiteError) {
      try database.execute(migration.sql)
    } catch {
      throw SQLiteError(
        error.code,
        "\(database.name): migration \(migration.number) '\(migration.name)': \(error.message)")
    }
    let orphaned = try database.first("PRAGMA foreign_key_check") {
      try $0.get(0, as: String.self)
    }
    if let orphaned {
      throw SQLiteError(
        .constraint,
        "\(database.name): migration \(migration.number) '\(migration.name)' "
          + "leaves table '\(orphaned)' with references to missing rows")
    }
    try database.execute("PRAGMA user_version = \(migration.number)")
  }
}

extension Database {
  /// The database's name in messages.
  var name: String {
    switch location {
    case .file(let path): path
    case .memory: "the database in memory"
    }
  }
}
