import HTTP
import PostgreSQL
import SQL

extension Ledger {
  /// Opens the ledger in a PostgreSQL database for the coordinator that holds the lock of the data directory at `data`.
  /// An empty database becomes a new ledger.
  ///
  /// - Parameters:
  ///   - data: the data directory, whose files the ledger refers to.
  ///   - isUnused: whether the directory has no files that another ledger would refer to.
  ///   - entrance: where other coordinators reach this one; `nil` if they cannot.
  ///   - patience: how long to wait for the claim of another coordinator to expire.
  /// - Throws: ``StorageError`` if the database cannot be reached, its schema is not this program's, or it belongs to
  ///   another coordinator or data directory.
  package convenience init(
    at address: ServerAddress, data: String, isUnused: Bool = true, entrance: RelayTarget? = nil,
    patience: Duration = .seconds(30)
  ) throws {
    let connection = try Self.connect(to: address)
    try Self.reporting(address) {
      let migrator = try Migrator(Migration.postgreSQL)
      if try migrator.version(of: connection) == 0 { try migrator.migrate(connection) }
      try Self.assureSchema(of: connection, at: address)
    }
    let database = try Self.reporting(address) {
      let known = try OwnerRecord.read(in: data)
      // The directory gets no identity of its own if it cannot have this ledger.
      if known == nil { try LedgerOwnership.assureNew(connection, address) }
      var owner = known ?? OwnerRecord()
      var others: [String] = []
      if owner.state == .new {
        // Each attempt has an identity of its own, so that one that is given up cannot be used later.
        if known != nil { owner.renew() }
        others = (owner.attempts ?? []) + (isUnused ? [""] : [])
      }
      let earlier = try owner.addClaim(in: data)
      let database = try PostgreSQLLedgerDatabase(
        connection, at: address, for: owner, after: earlier, replacing: others, entrance: entrance,
        patience: patience)
      if owner.state != .away {
        owner.settle()
        try owner.write(in: data)
      }
      return database
    }
    self.init(database, data: data)
  }

  /// Opens the ledger in a PostgreSQL database for reading, whether or not a coordinator is using it.
  ///
  /// - Throws: ``StorageError`` if the database cannot be reached, or its schema is not this program's.
  package convenience init(reading address: ServerAddress) throws {
    let connection = try Self.connect(to: address)
    try Self.assureSchema(of: connection, at: address)
    self.init(PostgreSQLLedgerDatabase(reading: connection, at: address), data: nil)
  }

  /// Upgrades the schema of the ledger in a PostgreSQL database, or creates it in an empty one.
  ///
  /// - Returns: the number of migrations that were applied, and the version of the schema.
  /// - Throws: ``StorageError`` if a coordinator is using the ledger.
  static func migrate(at address: ServerAddress) throws -> (applied: Int, version: Int) {
    let connection = try connect(to: address)
    return try reporting(address) {
      let migrator = try Migrator(Migration.postgreSQL)
      let version = try migrator.version(of: connection)
      let isInUse =
        version == 0 || version == Migration.postgreSQL.count
        ? false
        : try connection.first("SELECT expires_at > now() AS is_in_use FROM ledger_owner") {
          try $0.get("is_in_use") as Bool
        }
      guard isInUse != true else {
        throw StorageError(
          .inUse,
          "a coordinator is using the ledger \(address): stop it; if it was killed, try again in "
            + "\(LedgerOwnership.term) seconds")
      }
      return (try migrator.migrate(connection), Migration.postgreSQL.count)
    }
  }

  /// The remedies for error messages of libpq.
  private static let remedies =
    [
      (
        "no password supplied",
        "give the password with --ledger-password-file or SHEAF_LEDGER_PASSWORD"
      ),
      ("authentication failed", "check the user in the URL and the password"),
      ("does not exist", "check the URL"), ("too old", "upgrade the server"),
      ("certificate", "check the server's certificate, or name its authority: ?sslrootcert=FILE"),
      ("SSL", "let the server use TLS"),
      ("pg_hba.conf", "let the user connect from this host: see the server's pg_hba.conf"),
    ] as [(problem: String, remedy: String)]
  private static let usualRemedy =
    "check that the server runs, and that it accepts connections from this host"

  static func connect(to address: ServerAddress) throws(StorageError) -> Connection {
    do throws(PostgreSQLError) {
      return try Connection(to: address)
    } catch {
      let remedy = Self.remedies.first { error.message.contains($0.problem) }?.remedy
      throw StorageError(
        .unreadable,
        "the ledger cannot be opened: \(error.message): \(remedy ?? Self.usualRemedy)")
    }
  }

  /// Runs `body`, and turns errors of the database into errors that name its address.
  static func reporting<Value>(_ address: ServerAddress, _ body: () throws -> Value) throws -> Value
  {
    do {
      return try body()
    } catch let error as PostgreSQLError {
      throw StorageError(.unreadable, "the ledger \(address): \(error.message)")
    }
  }

  /// Checks that the schema is the one that this program knows.
  static func assureSchema(of connection: Connection, at address: ServerAddress) throws {
    let current = Migration.postgreSQL.count
    let version = try reporting(address) {
      try Migrator(Migration.postgreSQL).version(of: connection)
    }
    guard version != current else { return }
    let remedy =
      version == 0
      ? "it contains no ledger: check the URL"
      : version > current
        ? "its schema is version \(version), but this program's is \(current): use a newer "
          + "sheaf-coordinator"
        : "its schema is version \(version), but this program's is \(current): stop the "
          + "coordinator and run `sheaf-coordinator migrate --ledger \(address)`"
    throw StorageError(.unreadable, "the ledger \(address) cannot be used: \(remedy)")
  }
}
