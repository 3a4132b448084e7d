/// One numbered step of a database's schema.
public struct Migration: Hashable, Sendable {
  /// Its place: 1, 2, 3, and so on. A number that was released is never changed.
  public let number: Int
  /// What it does, for messages.
  public let name: String
  /// The statements that do it.
  public let sql: String

  /// The migration called `name` that runs the statements of `sql`.
  public init(_ number: Int, _ name: String, _ sql: String) {
    self.number = number
    self.name = name
    self.sql = sql
  }
}

/// Brings a database to the newest schema that the program knows.
///
/// `user_version` holds the number of the last migration that was applied. Each is one transaction.
public struct Migrator: Sendable {
  private let migrations: [Migration]

  /// A migrator over `migrations`.
  ///
  /// - Throws: ``SQLiteError/Code/invalidMigration`` unless they are numbered 1, 2, 3, and so on.
  public init(_ migrations: [Migration]) throws(SQLiteError) {
    for (index, migration) in migrations.enumerated() where migration.number != index + 1 {
      throw SQLiteError(
        .invalidMigration,
        "migration '\(migration.name)' has number \(migration.number); \(index + 1) is next")
    }
    self.migrations = migrations
  }

  /// Applies every migration that `database` lacks.
  ///
  /// - Throws: ``SQLiteError/Code/newerSchema`` where a newer program wrote the database; it is left as it is.
  public func migrate(_ database: Database) throws {
    while try applyNext(to: database) {}
  }

  private func applyNext(to database: Database) throws -> Bool {
    // The version is read again under the write lock: another process may migrate the same file.
    try database.transaction {
      let version = try Int(sqlValue: database.pragma("user_version"))
      guard version <= migrations.count else {
        throw SQLiteError(
          .newerSchema,
          "\(database.name): its schema is version \(version), newer than version "
            + "\(migrations.count) of this program: use a newer sheaf")
      }
      guard version < migrations.count else { return false }
      let migration = migrations[version]
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
      return true
    }
  }
}

extension Database {
  /// What to call this database in messages.
  var name: String {
    switch location {
    case .file(let path): path
    case .memory: "the database in memory"
    }
  }
}
